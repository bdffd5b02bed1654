package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.verbs.CompletionHandler;
import org.jspecify.annotations.Nullable;

/**
 * Hands the completions of a connection to its sending or receiving half, by the number
 * that the request carried. One that failed ends the connection.
 */
class ConnectionCompletions implements CompletionHandler {

	private final RdmaConnection connection;

	private final ConnectionResources resources;

	private final EndpointStatistics statistics;

	ConnectionCompletions(RdmaConnection connection, ConnectionResources resources, EndpointStatistics statistics) {
		this.connection = connection;
		this.resources = resources;
		this.statistics = statistics;
	}

	@Override
	public void onCompletion(WorkCompletion completion) {
		int slot = (int) completion.wrId;
		if ((completion.wrId & CreditGrants.WR_ID_GRANTS) != 0) {
			grantCompleted(completion);
			return;
		}
		if ((completion.wrId & SendQueue.WR_ID_SENDS) != 0) {
			SendCompletions queue = this.resources.sendCompletions();
			if (queue != null) {
				queue.completed(slot, (completion.status != 0) ? error(completion, queue.operation(slot)) : null);
			}
			return;
		}
		MessageReceiver receiver = this.resources.receiver();
		if (receiver != null && completion.status == 0) {
			receiver.received(slot, completion);
		}
		else if (receiver != null) {
			failed(completion, CompletionOpcode.RECV);
			receiver.failed(slot);
		}
	}

	private void grantCompleted(WorkCompletion completion) {
		CreditGrants grants = this.resources.grants();
		boolean failed = completion.status != 0;
		if (failed) {
			failed(completion, CompletionOpcode.SEND);
		}
		if (grants != null) {
			grants.completed(failed);
		}
	}

	// No completions are taken any more.
	void queueFailed(RuntimeException error) {
		this.connection.end(DestroyTrigger.DISCONNECT, error);
	}

	// Return what a caller is told of a request that failed.
	private RuntimeException error(WorkCompletion completion, CompletionOpcode operation) {
		RuntimeException error = failed(completion, operation);
		return (error != null) ? error : this.connection.closedException();
	}

	// Return the error that ends the connection. Requests are flushed when it ends, for
	// whatever reason that has; as a rule nobody waits for what is flushed.
	private @Nullable RuntimeException failed(WorkCompletion completion, CompletionOpcode operation) {
		this.statistics.completionError(completion.status);
		if (completion.status == CompletionStatus.WR_FLUSH_ERR.value()) {
			return null;
		}
		RdmaOperationException error = new RdmaOperationException(this.connection.toString(), operation,
				completion.status, completion.vendorError, completion.qpNum);
		this.connection.failed(error);
		return error;
	}

}
