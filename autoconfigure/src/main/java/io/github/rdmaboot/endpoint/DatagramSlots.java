package io.github.rdmaboot.endpoint;

/**
 * How the buffers of a datagram endpoint lie in its memory: those for receiving first,
 * and as many for sending behind them.
 *
 * @param count how many buffers there are for each direction
 * @param mtu the size of the largest datagram in bytes
 */
record DatagramSlots(int count, int mtu) {

	private static final int ALIGNMENT = 64;

	// Return the size of a buffer: a datagram with the header that the device puts in
	// front of a received one, rounded up to whole cache lines.
	int size() {
		return (RoutingHeader.LENGTH + this.mtu + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	}

	int bytes() {
		return 2 * this.count * size();
	}

}
