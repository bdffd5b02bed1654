package io.github.rdmaboot.cm;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

import io.github.rdmaboot.provider.AddressHandleAttributes;
import io.github.rdmaboot.provider.CmEventData;
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
 * @param target where datagrams go: to the service that was asked for or to the group
 * that was joined, otherwise {@code null}
 * @param group the multicast group whose join was answered or whose membership was lost,
 * otherwise {@code null}, also if it was left meanwhile
 */
public record CmEvent(CmEventType type, int status, byte[] privateData, int responderResources, int initiatorDepth,
		@Nullable OwnedCmId child, @Nullable DatagramTarget target, @Nullable InetSocketAddress group) {

	static CmEvent of(CmEventType type, CmEventData data, @Nullable OwnedCmId child,
			@Nullable InetSocketAddress group) {
		AddressHandleAttributes path = data.address();
		return new CmEvent(type, data.status(), data.privateData(), data.responderResources(), data.initiatorDepth(),
				child, (path != null) ? new DatagramTarget(data.qpNum(), data.qkey(), path) : null, group);
	}

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
		String said = (this.type == CmEventType.REJECTED) ? peerText() : null;
		return "RDMA_CM_EVENT_" + this.type + ", " + CmEventStatus.describe(this.type.value(), this.status)
				+ ((said != null) ? ", the peer says '" + said + "'" : "");
	}

	/**
	 * Return the private data as text, without the padding of the transport.
	 * @return the text, or {@code null} if there is none or not all of it is printable
	 * ASCII
	 */
	public @Nullable String peerText() {
		int length = this.privateData.length;
		while (length > 0 && this.privateData[length - 1] == 0) {
			length--;
		}
		for (int i = 0; i < length; i++) {
			if (this.privateData[i] < ' ' || this.privateData[i] > '~') {
				return null;
			}
		}
		return (length > 0) ? new String(this.privateData, 0, length, StandardCharsets.US_ASCII) : null;
	}

}
