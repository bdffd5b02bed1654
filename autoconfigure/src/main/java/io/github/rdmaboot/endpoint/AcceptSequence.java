package io.github.rdmaboot.endpoint;

import java.time.Duration;

import io.github.rdmaboot.cm.CmEvent;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps by which a server accepts one connection request, each within the limit of a
 * native call. Run by one thread.
 */
final class AcceptSequence implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(AcceptSequence.class);

	private final RdmaServer server;

	private final EndpointRuntime runtime;

	private final RdmaConnection connection;

	private final CmEvent request;

	private final long begin;

	private final CallWatch watch;

	// The request came in at the time of System.nanoTime() that is named as its begin.
	AcceptSequence(RdmaServer server, EndpointRuntime runtime, RdmaConnection connection, CmEvent request, long begin) {
		this.server = server;
		this.runtime = runtime;
		this.connection = connection;
		this.request = request;
		this.begin = begin;
		this.watch = new CallWatch(runtime, runtime.acceptExecutor(), server.name(), server.address(), this::failed);
	}

	@Override
	public void run() {
		RdmaEndpointException failure;
		try {
			accept();
			return;
		}
		catch (ConnectionClosedException ex) {
			logger.debug("{} was closed before it was accepted", this.connection, ex);
			return;
		}
		catch (RdmaException ex) {
			failure = new RdmaEndpointException(this.server.name(), this.server.address(), ex);
		}
		catch (RuntimeException | Error ex) {
			failure = new RdmaEndpointException(this.server.name(), this.server.address(), "rdma_accept",
					Errno.EIO.value(), "accepting failed: " + ex, ex);
		}
		if (this.watch.isOverdue()) {
			logger.debug("{}: a call failed after the request had been given up", this.connection, failure);
			return;
		}
		reject();
		failed(failure);
	}

	private void accept() {
		Duration limit = this.runtime.callTimeout();
		this.watch.during("rdma_create_qp", "making the queue pair and its memory", limit, this.connection::setUp);
		this.watch.during("rdma_accept", limit, () -> {
			ConnectionSettings parameters = this.server.settings().connection();
			this.connection.whileSettingUp(() -> parameters.applyOptions(this.connection.ownedCmId()));
			this.connection.whileSettingUp(() -> this.connection.ownedCmId().accept(answer(parameters)));
		});
		this.watch.during("ibv_modify_qp", limit, this.connection::tune);
	}

	private ConnectionParameters answer(ConnectionSettings parameters) {
		return new ConnectionParameters(parameters.privateData(),
				Math.min(parameters.responderResources(), this.request.responderResources()),
				Math.min(parameters.initiatorDepth(), this.request.initiatorDepth()), false, parameters.retryCount(),
				parameters.rnrRetryCount(), false, 0);
	}

	private void failed(RdmaEndpointException failure) {
		if (failure.getCause() instanceof RdmaException || failure.getCause() == null) {
			logger.warn("Could not accept {}: {}", this.connection, failure.getMessage());
		}
		else {
			logger.warn("Could not accept {}", this.connection, failure);
		}
		this.runtime.connectEnded(this.server.name(), Duration.ofNanos(System.nanoTime() - this.begin), failure);
		this.connection.end(DestroyTrigger.DISCONNECT, failure);
	}

	private void reject() {
		try {
			this.watch.watch("rdma_reject", "rdma_reject", this.runtime.callTimeout(), () -> this.connection
				.whileSettingUp(() -> this.connection.ownedCmId().reject(RejectReason.NOT_ACCEPTED.bytes())));
		}
		catch (IllegalStateException | RdmaException ex) {
			logger.debug("{}: the request cannot be rejected any more", this.connection, ex);
		}
	}

}
