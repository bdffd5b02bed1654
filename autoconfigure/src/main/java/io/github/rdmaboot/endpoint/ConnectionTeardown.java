package io.github.rdmaboot.endpoint;

import java.util.EnumMap;
import java.util.Map;

import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyMember;
import io.github.rdmaboot.endpoint.destroy.DestroyStep;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steps that destroy one connection, whatever of it exists.
 */
final class ConnectionTeardown {

	private static final Logger logger = LoggerFactory.getLogger(ConnectionTeardown.class);

	private final RdmaConnection connection;

	private final OwnedCmId id;

	private final ConnectionResources resources;

	private final ConnectionEvents events;

	private final EndpointStatistics statistics;

	private boolean disconnecting;

	ConnectionTeardown(RdmaConnection connection, OwnedCmId id, ConnectionResources resources, ConnectionEvents events,
			EndpointStatistics statistics) {
		this.connection = connection;
		this.id = id;
		this.resources = resources;
		this.events = events;
		this.statistics = statistics;
	}

	DestroyMember member() {
		Map<DestroyStepName, DestroyStep> steps = new EnumMap<>(DestroyStepName.class);
		steps.put(DestroyStepName.QUIESCE, this.connection.gate().closing(this::quiesce));
		steps.put(DestroyStepName.DISCONNECT, call(this::disconnect));
		steps.put(DestroyStepName.AWAIT_DISCONNECTED, this::awaitDisconnected);
		steps.put(DestroyStepName.FLUSH, call(this::flush));
		steps.put(DestroyStepName.DRAIN, this.resources::drain);
		steps.put(DestroyStepName.DESTROY_QP, call(this.resources::destroyQueuePair));
		steps.put(DestroyStepName.DEREG_MR, call(this::releaseMemory));
		steps.put(DestroyStepName.DESTROY_CQ, call(this.resources::destroyQueue));
		steps.put(DestroyStepName.RELEASE_DEVICE, call(this.resources::releaseDevice));
		steps.put(DestroyStepName.DESTROY_ID, call(this.id::destroy));
		return new DestroyMember(this.connection.endpoint() + "#" + this.connection.number(), true, steps);
	}

	private static DestroyStep call(Runnable call) {
		return (deadline) -> {
			call.run();
			return true;
		};
	}

	private void quiesce() {
		this.connection.beginClosing();
		if (this.connection.wasRequested()) {
			try {
				this.id.reject(RejectReason.GOING_AWAY.bytes());
			}
			catch (IllegalStateException ex) {
				logger.debug("{} was answered meanwhile", this.connection, ex);
			}
			catch (RdmaException ex) {
				// The peer may have given up meanwhile, which leaves nothing to reject.
				if (ex.errno() != Errno.EINVAL.value() && ex.errno() != Errno.ENXIO.value()) {
					throw ex;
				}
			}
		}
	}

	private void disconnect() {
		this.disconnecting = this.id.disconnect();
	}

	private boolean awaitDisconnected(Deadline deadline) {
		return !this.disconnecting || this.events.awaitDisconnected(deadline);
	}

	private void releaseMemory() {
		try {
			this.connection.memory().release(this.resources.isQueuePairDestroyed());
		}
		finally {
			this.resources.releaseMemory(this.statistics);
		}
	}

	private void flush() {
		if (!this.disconnecting && this.id.state() != CmIdState.DEVICE_REMOVED) {
			this.resources.flush();
		}
	}

}
