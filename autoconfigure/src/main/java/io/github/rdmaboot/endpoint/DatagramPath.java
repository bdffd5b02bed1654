package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.AddressHandleAttributes;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.verbs.AddressHandle;
import io.github.rdmaboot.verbs.Device;
import org.jspecify.annotations.Nullable;

/**
 * Path to a peer or to a multicast group: what it takes to make an address handle, as
 * often as needed. Equal paths share one.
 */
final class DatagramPath {

	private final ByteBuffer identity;

	private final Opening opening;

	// Spares the look-up of the handle; whether it still can be used it tells itself.
	private volatile @Nullable AddressHandle lastHandle;

	private DatagramPath(ByteBuffer identity, Opening opening) {
		this.identity = identity.flip();
		this.opening = opening;
	}

	// Return the path that the CM told. It draws a flow label for each look-up, which
	// tells no path from another.
	static DatagramPath told(AddressHandleAttributes path) {
		ByteBuffer identity = ByteBuffer.allocate(64)
			.put(path.dgid())
			.putInt(path.sgidIndex())
			.putInt(path.hopLimit())
			.putInt(path.trafficClass())
			.putInt(path.dlid())
			.putInt(path.serviceLevel())
			.putInt(path.sourcePathBits())
			.putInt(path.staticRate())
			.putInt(path.portNum());
		return new DatagramPath(identity, (device) -> AddressHandle.create(device, path));
	}

	// Return the path back to where a datagram came from: its header, in the form in
	// which an address handle can be made of it, and its completion, which is copied.
	static DatagramPath answering(ByteBuffer header, WorkCompletion completion, int port) {
		WorkCompletion received = new WorkCompletion();
		received.flags = completion.flags;
		received.sourceQp = completion.sourceQp;
		received.pkeyIndex = completion.pkeyIndex;
		received.sourceLid = completion.sourceLid;
		received.serviceLevel = completion.serviceLevel;
		received.destinationPathBits = completion.destinationPathBits;
		ByteBuffer identity = ByteBuffer.allocate(64)
			.putLong(RoutingHeader.sourceHigh(header, 0))
			.putLong(RoutingHeader.sourceLow(header, 0))
			.putInt(completion.flags & ReceivedDatagram.HAS_HEADER)
			.putInt(completion.sourceLid)
			.putInt(completion.serviceLevel)
			.putInt(completion.destinationPathBits);
		return new DatagramPath(identity,
				(device) -> AddressHandle.createAnswering(device, received, header.duplicate(), port));
	}

	AddressHandle open(Device device) {
		return this.opening.open(device);
	}

	@Nullable AddressHandle lastHandle() {
		return this.lastHandle;
	}

	void remember(AddressHandle handle) {
		this.lastHandle = handle;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof DatagramPath path && this.identity.equals(path.identity);
	}

	@Override
	public int hashCode() {
		return this.identity.hashCode();
	}

	/**
	 * Makes an address handle.
	 */
	@FunctionalInterface
	private interface Opening {

		/**
		 * Make the address handle.
		 * @param device the device
		 * @return the address handle
		 */
		AddressHandle open(Device device);

	}

}
