package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.provider.CmIdOption;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of the connections of an endpoint.
 *
 * @param responderResources how many reads and atomics of the peer are served at once, 0
 * to 255; at most what the peer asks for
 * @param initiatorDepth how many reads and atomics are outstanding at once, 0 to 255; at
 * most what the peer serves
 * @param retryCount how often an unanswered packet is sent again, 0 to 7. With 7 some
 * devices, soft-RoCE among them, never report a dead peer
 * @param rnrRetryCount how often a packet is sent again for which the peer had no
 * receive, 0 to 7; 7 means without end
 * @param privateData bytes for the peer beside the request or the acceptance; at most 56
 * of a client and 196 of a server, which their settings check
 * @param tos the type of service of the packets, 0 to 255, or {@code null} for the
 * system's
 * @param ackTimeout the acknowledgement timeout as an exponent, 4.096 µs · 2^n with n
 * from 0 to 31, or {@code null} for the system's
 */
public record ConnectionSettings(int responderResources, int initiatorDepth, int retryCount, int rnrRetryCount,
		byte[] privateData, @Nullable Integer tos, @Nullable Integer ackTimeout) {

	public ConnectionSettings {
		Settings.between("responder-resources", responderResources, 0, 255);
		Settings.between("initiator-depth", initiatorDepth, 0, 255);
		Settings.between("retry-count", retryCount, 0, 7);
		Settings.between("rnr-retry-count", rnrRetryCount, 0, 7);
		if (tos != null) {
			Settings.between("tos", tos, 0, 255);
		}
		if (ackTimeout != null) {
			Settings.between("ack-timeout", ackTimeout, 0, 31);
		}
	}

	// Set the options of an id: of a client's before its address is resolved, of a
	// server's before the request is accepted.
	void applyOptions(OwnedCmId id) {
		if (this.tos != null) {
			id.setOption(CmIdOption.TOS, this.tos);
		}
		if (this.ackTimeout != null) {
			id.setOption(CmIdOption.ACK_TIMEOUT, this.ackTimeout);
		}
	}

}
