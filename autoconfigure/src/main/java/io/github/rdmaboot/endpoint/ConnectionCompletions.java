package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.verbs.CompletionHandler;

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
			error(completion, CompletionOpcode.RECV);
			receiver.failed(slot);
		}
	}

	private void grantCompleted(WorkCompletion completion) {
		CreditGrants grants = this.resources.grants();
		boolean failed = completion.status != 0;
		if (failed) {
			error(completion, CompletionOpcode.SEND);
		}
		if (grants != null) {
			grants.completed(failed);
		}
	}

	// No completions are taken any more.
	void queueFailed(RuntimeException error) {
		this.connection.end(DestroyTrigger.DISCONNECT, error);
	}

	// Requests are flushed when the connection ends, for whatever reason that has.
	private RuntimeException error(WorkCompletion completion, CompletionOpcode operation) {
		this.statistics.completionError(completion.status);
		if (completion.status == CompletionStatus.WR_FLUSH_ERR.value()) {
			return this.connection.closedException();
		}
		RdmaOperationException error = new RdmaOperationException(this.connection.toString(), operation,
				completion.status, completion.vendorError, completion.qpNum);
		this.connection.failed(error);
		return error;
	}

}
