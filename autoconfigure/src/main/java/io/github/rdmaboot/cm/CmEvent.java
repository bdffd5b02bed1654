package io.github.rdmaboot.cm;

import io.github.rdmaboot.provider.CmEventStatus;
import io.github.rdmaboot.provider.CmEventType;
import org.jspecify.annotations.Nullable;

/**
 * CM event that was copied and acknowledged before it was handed on.
 *
 * @param type the type
 * @param status 0, a negative errno, or a positive code of the transport
 * @param privateData the peer's bytes with the transport's padding
 * @param responderResources how many reads and atomics may be outstanding towards the
 * peer
 * @param initiatorDepth how many reads and atomics the peer has outstanding at most
 * @param child the id that a connection request brought, otherwise {@code null}
 */
public record CmEvent(CmEventType type, int status, byte[] privateData, int responderResources, int initiatorDepth,
		@Nullable OwnedCmId child) {

	/**
	 * Return the errno that comes nearest to the status.
	 * @return a positive errno
	 */
	public int errno() {
		return CmEventStatus.errno(this.type.value(), this.status);
	}

	/**
	 * Return type and status as text.
	 * @return {@code RDMA_CM_EVENT_REJECTED, reason 8 (nobody listens on this port)} for
	 * instance
	 */
	public String describe() {
		return "RDMA_CM_EVENT_" + this.type + ", " + CmEventStatus.describe(this.type.value(), this.status);
	}

}
