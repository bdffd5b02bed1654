package io.github.rdmaboot.endpoint;

import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

import io.github.rdmaboot.cm.Addresses;
import io.github.rdmaboot.cm.CmEvent;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.Errno;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the CM events of a connection: when it is established, and why it ends.
 */
final class ConnectionEvents {

	private static final Logger logger = LoggerFactory.getLogger(ConnectionEvents.class);

	private final RdmaConnection connection;

	private final ConnectionResources resources;

	private final ConnectedEndpoint owner;

	private final Consumer<CmEvent> connectEvents;

	private final CountDownLatch disconnected = new CountDownLatch(1);

	private volatile boolean established;

	ConnectionEvents(RdmaConnection connection, ConnectionResources resources, ConnectedEndpoint owner,
			Consumer<CmEvent> connectEvents) {
		this.connection = connection;
		this.resources = resources;
		this.owner = owner;
		this.connectEvents = connectEvents;
	}

	boolean isEstablished() {
		return this.established;
	}

	// Wait for the event that tells of the end, if one is to come.
	boolean awaitDisconnected(Deadline deadline) {
		return !this.established || deadline.await(this.disconnected);
	}

	void onEvent(CmEvent event) {
		this.owner.statistics().event(event.type(), event.status());
		this.connectEvents.accept(event);
		switch (event.type()) {
			case ESTABLISHED -> {
				this.established = true;
				this.resources.established();
				this.owner.established(this.connection);
			}
			case DISCONNECTED -> {
				this.disconnected.countDown();
				this.connection.end(DestroyTrigger.DISCONNECT, (event.status() != 0) ? failure(event) : brokenOff());
			}
			case CONNECT_ERROR, UNREACHABLE, REJECTED -> {
				this.disconnected.countDown();
				this.connection.end(DestroyTrigger.DISCONNECT, failure(event));
			}
			case DEVICE_REMOVAL -> {
				this.disconnected.countDown();
				this.connection.end(DestroyTrigger.DEVICE_REMOVAL, failure(event));
			}
			default -> logger.debug("{}: {}", this.connection, event.describe());
		}
	}

	// Say what the peer has ended the connection in the middle of, for it cannot say why.
	private @Nullable RdmaEndpointException brokenOff() {
		MessageSender sender = this.resources.sender();
		int length = (sender != null) ? sender.underWay() : 0;
		return (length == 0) ? null
				: new RdmaEndpointException(this.owner.name(), Addresses.format(this.connection.peerAddress()),
						"rdma_get_cm_event", Errno.ECONNRESET.value(),
						"the peer ended the connection while a message of " + length
								+ " bytes in fragments was on its way (ECONNRESET): it does so, and logs it, when "
								+ "its messages.max-size is smaller than that",
						null);
	}

	private RdmaEndpointException failure(CmEvent event) {
		String peer = Addresses.format(this.connection.peerAddress());
		if (event.type() == CmEventType.REJECTED) {
			return new ConnectionRejectedException(this.owner.name(), peer, event);
		}
		return new RdmaEndpointException(this.owner.name(), peer, "rdma_get_cm_event", event.errno(),
				"the connection ended with " + Errno.describe(event.errno()) + ": " + event.describe(), null);
	}

}
