package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

import io.github.rdmaboot.provider.WorkCompletion;

/**
 * Datagram in the hands of a {@link DatagramHandler}, valid until it returns. To be used
 * by one thread.
 */
public final class ReceivedDatagram {

	/** Flag of a completion: the header in front of the datagram is filled in. */
	static final int HAS_HEADER = 1;

	private static final int HAS_IMMEDIATE = 2;

	private final RdmaDatagramEndpoint endpoint;

	private final DatagramSenders senders;

	private final int offset;

	private final ByteBuffer data;

	private final WorkCompletion completion = new WorkCompletion();

	ReceivedDatagram(RdmaDatagramEndpoint endpoint, DatagramSenders senders, ByteBuffer memory, int offset,
			int length) {
		this.endpoint = endpoint;
		this.senders = senders;
		this.offset = offset;
		this.data = memory.slice(offset + RoutingHeader.LENGTH, length).asReadOnlyBuffer();
	}

	// Take what the completion of its receive tells.
	void arrived(WorkCompletion received) {
		this.completion.flags = received.flags;
		this.completion.immediateData = received.immediateData;
		this.completion.sourceQp = received.sourceQp;
		this.completion.pkeyIndex = received.pkeyIndex;
		this.completion.sourceLid = received.sourceLid;
		this.completion.serviceLevel = received.serviceLevel;
		this.completion.destinationPathBits = received.destinationPathBits;
		this.data.clear().limit(received.byteLength - RoutingHeader.LENGTH);
	}

	/**
	 * Return the datagram's bytes, without any header.
	 * @return a read-only buffer from position to limit, the same at each call
	 */
	public ByteBuffer data() {
		return this.data;
	}

	/**
	 * Return the sender, to answer now or later.
	 * @return the sender
	 */
	public DatagramPeer sender() {
		return this.senders.senderOf(this.completion, this.offset);
	}

	/**
	 * Return whether the datagram came with immediate data.
	 * @return whether it did
	 */
	public boolean hasImmediate() {
		return (this.completion.flags & HAS_IMMEDIATE) != 0;
	}

	/**
	 * Return the immediate data.
	 * @return the immediate data in host order, 0 if there is none
	 */
	public int immediate() {
		return hasImmediate() ? this.completion.immediateData : 0;
	}

	/**
	 * Send a datagram to the sender of this one, like
	 * {@link RdmaDatagramEndpoint#send(DatagramPeer, ByteBuffer)}.
	 * @param message the message, not larger than
	 * {@link RdmaDatagramEndpoint#maxMessageSize()}
	 * @return completes when the datagram has left, which says nothing about its arrival
	 */
	public CompletableFuture<Void> reply(ByteBuffer message) {
		return this.endpoint.send(sender(), message);
	}

}
