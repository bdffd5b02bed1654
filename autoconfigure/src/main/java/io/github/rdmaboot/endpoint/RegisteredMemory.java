package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;

import io.github.rdmaboot.provider.AccessFlag;
import io.github.rdmaboot.verbs.Device;
import io.github.rdmaboot.verbs.MemoryRegion;

/**
 * Memory region of its own, which peers may reach as far as they were given access.
 */
public final class RegisteredMemory extends RdmaMemory {

	private final MemoryRegion region;

	private final Consumer<? super RegisteredMemory> freed;

	private RegisteredMemory(Device device, MemoryRegion region, Consumer<? super RegisteredMemory> freed) {
		super(device, region.memory(), region.address(), region.lkey());
		this.region = region;
		this.freed = freed;
	}

	// Allocate memory, register it, and be told when it is freed.
	static RegisteredMemory allocate(Device device, int size, Consumer<? super RegisteredMemory> freed,
			RemoteAccess... access) {
		if (size < 1) {
			throw new IllegalArgumentException("Memory to register must have at least 1 byte, not " + size);
		}
		return new RegisteredMemory(device, MemoryRegion.allocate(device, size, RemoteAccess.flags(access)), freed);
	}

	// Register a direct buffer from its position to its limit, and be told when it is
	// freed. Nobody can write to one that is read-only.
	static RegisteredMemory register(Device device, ByteBuffer memory, Consumer<? super RegisteredMemory> freed,
			RemoteAccess... access) {
		if (!memory.isDirect() || !memory.hasRemaining()) {
			throw new IllegalArgumentException(
					"Memory to register must be a direct buffer with bytes between position and limit: " + memory);
		}
		int flags = RemoteAccess.flags(access);
		if (memory.isReadOnly()) {
			flags &= ~AccessFlag.LOCAL_WRITE.value();
			if (flags != AccessFlag.REMOTE_READ.value() && flags != 0) {
				throw new IllegalArgumentException(
						"Read-only memory can be registered for READ alone, not for " + Arrays.toString(access));
			}
		}
		return new RegisteredMemory(device, MemoryRegion.register(device, memory.slice(), flags), freed);
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
		try {
			this.region.deregister();
		}
		finally {
			this.freed.accept(this);
		}
	}

}
