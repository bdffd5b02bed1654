package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

import io.github.rdmaboot.provider.WorkCompletion;
import org.jspecify.annotations.Nullable;

/**
 * The peers from which datagrams came, so that each is described once. Forgets them all
 * when there are too many. Used by one thread at a time, the one that hands datagrams to
 * the handler.
 */
final class DatagramSenders {

	private final RdmaDatagramEndpoint endpoint;

	private final ByteBuffer memory;

	private final byte[] localGid;

	private final int port;

	private final int qkey;

	private final int max;

	private final Map<SenderKey, DatagramPeer> senders = new HashMap<>();

	private final SenderKey probe = new SenderKey();

	DatagramSenders(RdmaDatagramEndpoint endpoint, ByteBuffer memory, byte[] localGid, int port, int qkey, int max) {
		this.endpoint = endpoint;
		this.memory = memory;
		this.localGid = localGid;
		this.port = port;
		this.qkey = qkey;
		this.max = max;
	}

	// Return who sent the datagram whose header is at the offset.
	DatagramPeer senderOf(WorkCompletion completion, int offset) {
		boolean header = (completion.flags & ReceivedDatagram.HAS_HEADER) != 0;
		this.probe.high = header ? RoutingHeader.sourceHigh(this.memory, offset) : 0;
		this.probe.low = header ? RoutingHeader.sourceLow(this.memory, offset) : completion.sourceLid;
		this.probe.qpNum = completion.sourceQp;
		DatagramPeer sender = this.senders.get(this.probe);
		if (sender == null) {
			if (this.senders.size() >= this.max) {
				this.senders.clear();
			}
			InetAddress address = header ? RoutingHeader.address(this.probe.high, this.probe.low) : null;
			DatagramPath path = DatagramPath.answering(RoutingHeader.answerable(this.memory, offset, this.localGid),
					completion, this.port);
			sender = new DatagramPeer(this.endpoint, path, completion.sourceQp, this.qkey, address);
			this.senders.put(this.probe.copy(), sender);
		}
		return sender;
	}

	/**
	 * What tells one sender from another. Changed only while it serves as a probe.
	 */
	private static final class SenderKey {

		private long high;

		private long low;

		private int qpNum;

		private SenderKey copy() {
			SenderKey copy = new SenderKey();
			copy.high = this.high;
			copy.low = this.low;
			copy.qpNum = this.qpNum;
			return copy;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof SenderKey key && this.high == key.high && this.low == key.low
					&& this.qpNum == key.qpNum;
		}

		@Override
		public int hashCode() {
			return Long.hashCode(31 * this.high + this.low) * 31 + this.qpNum;
		}

	}

}
