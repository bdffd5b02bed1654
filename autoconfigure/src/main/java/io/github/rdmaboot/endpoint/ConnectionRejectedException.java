package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.cm.CmEvent;
import io.github.rdmaboot.provider.Errno;
import org.jspecify.annotations.Nullable;

/**
 * The peer rejected the connection request ({@code RDMA_CM_EVENT_REJECTED}), perhaps with
 * a reason.
 */
public class ConnectionRejectedException extends RdmaEndpointException {

	private static final long serialVersionUID = 1L;

	private final @Nullable String peerReason;

	ConnectionRejectedException(String endpoint, String address, CmEvent event) {
		super(endpoint, address, "rdma_connect", event.errno(),
				"rdma_connect failed with " + Errno.describe(event.errno()) + ": " + event.describe(), null);
		this.peerReason = event.peerText();
	}

	/**
	 * Return the text that the peer's application gave as reason.
	 * @return printable ASCII, or {@code null} if it gave none or something else
	 */
	public @Nullable String peerReason() {
		return this.peerReason;
	}

	/**
	 * Return whether the peer is going away, an RDMA server of an application that shuts
	 * down for instance, so that connecting again later is worthwhile. A client that
	 * reconnects by itself does not count such an attempt.
	 * @return whether it is
	 */
	public boolean isGoingAway() {
		return this.peerReason != null && RejectReason.GOING_AWAY.isMeantBy(this.peerReason);
	}

}
