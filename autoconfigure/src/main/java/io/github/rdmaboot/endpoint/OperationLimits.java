package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.verbs.QueuePair;

/**
 * What operations of a connection may be, checked before anything of them is done.
 */
final class OperationLimits {

	private final RdmaConnection connection;

	private final QueuePair queuePair;

	private final int maxInlineData;

	private final long maxBytes;

	private final boolean usingHeaders;

	OperationLimits(RdmaConnection connection, QueuePair queuePair, int maxInlineData, long maxBytes,
			boolean usingHeaders) {
		this.connection = connection;
		this.queuePair = queuePair;
		this.maxInlineData = maxInlineData;
		this.maxBytes = maxBytes;
		this.usingHeaders = usingHeaders;
	}

	// Refuse reads and atomics where a device would let them wait for ever.
	void requireReads() {
		if (this.queuePair.maxReads() < 0) {
			// Used before the connection was tuned.
			this.connection.whileSettingUp(this.queuePair::queryMaxReads);
		}
		if (this.queuePair.maxReads() == 0) {
			throw new RdmaException("ibv_post_send", Errno.EOPNOTSUPP.value(), this.connection
					+ " was negotiated without reads and atomics (EOPNOTSUPP): set connection.initiator-depth of this "
					+ "side and connection.responder-resources of the peer to 1 or more");
		}
	}

	// Refuse messages that are too large for the device.
	void requireLength(int length) {
		WorkDescription.requireLength(length, this.maxBytes);
	}

	// Refuse messages that are too large to be sent inline.
	void requireInline(int length) {
		if (length > this.maxInlineData) {
			throw new IllegalArgumentException("Message of " + length + " bytes is larger than the "
					+ this.maxInlineData + " bytes that may be sent inline; raise queue-pair.max-inline-data");
		}
	}

	// Refuse immediate data of messages where that is a header, or would be on other
	// devices.
	void requireImmediate() {
		if (this.usingHeaders) {
			throw new RdmaException("ibv_post_send", Errno.EOPNOTSUPP.value(),
					"Messages of " + this.connection
							+ " cannot carry immediate data (EOPNOTSUPP), for messages.flow-control=credits and "
							+ "messages.oversized=fragment use it themselves; only writes can");
		}
	}

}
