package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;

import io.github.rdmaboot.verbs.Device;
import io.github.rdmaboot.verbs.MemoryRegion;

/**
 * Memory region of its own, which peers may reach as far as they were given access.
 */
public final class RegisteredMemory extends RdmaMemory {

	private final MemoryRegion region;

	private RegisteredMemory(Device device, MemoryRegion region) {
		super(device, region.memory(), region.address(), region.lkey());
		this.region = region;
	}

	// Register a direct buffer from its position to its limit.
	static RegisteredMemory register(Device device, ByteBuffer memory, RemoteAccess... access) {
		return new RegisteredMemory(device, MemoryRegion.register(device, memory.slice(), RemoteAccess.flags(access)));
	}

	/**
	 * Return what a peer has to know to reach the memory.
	 * @return the description, to be sent to the peer
	 * @throws IllegalStateException if the memory was released
	 */
	public RemoteMemory remote() {
		return new RemoteMemory(this.region.address(), this.region.rkey(), data().capacity());
	}

	@Override
	void free() {
		this.region.deregister();
	}

}
