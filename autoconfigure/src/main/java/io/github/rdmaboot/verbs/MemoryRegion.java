package io.github.rdmaboot.verbs;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.rdmaboot.provider.MemoryRegionData;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;

/**
 * Registered memory; keeps the memory reachable as long as it is registered, to the end
 * of the process if it cannot be deregistered.
 */
public final class MemoryRegion {

	/** Keeps memory from being collected that a device may still write into. */
	private static final Set<MemoryRegion> registered = ConcurrentHashMap.newKeySet();

	private final RdmaProvider provider;

	private final ByteBuffer memory;

	private final MemoryRegionData data;

	private final AtomicBoolean deregistered = new AtomicBoolean();

	private MemoryRegion(RdmaProvider provider, ByteBuffer memory, MemoryRegionData data) {
		this.provider = provider;
		this.memory = memory;
		this.data = data;
	}

	/**
	 * Register memory; stands for {@code ibv_reg_mr}.
	 * @param device the device
	 * @param memory a direct buffer, registered from its position to its limit
	 * @param accessFlags a union of access flags
	 * @return the memory region
	 * @throws RdmaException on ENOMEM or EPERM when the memlock limit is too low
	 */
	public static MemoryRegion register(Device device, ByteBuffer memory, int accessFlags) {
		if (!memory.isDirect()) {
			throw new IllegalArgumentException("Memory to register must be a direct buffer");
		}
		return register(device.provider(), device.pd(), memory, accessFlags);
	}

	/**
	 * Allocate memory from the beginning of a page and register it; stands for
	 * {@code ibv_reg_mr}.
	 * @param device the device
	 * @param size the size in bytes
	 * @param accessFlags a union of access flags
	 * @return the memory region
	 * @throws RdmaException on ENOMEM or EPERM when the memlock limit is too low, ENOMEM
	 * when Java has no direct memory left
	 */
	public static MemoryRegion allocate(Device device, int size, int accessFlags) {
		return register(device, PageMemory.allocate(size), accessFlags);
	}

	static MemoryRegion register(RdmaProvider provider, long pd, ByteBuffer memory, int accessFlags) {
		MemoryRegion region = new MemoryRegion(provider, memory, provider.ibvRegMr(pd, memory, accessFlags));
		registered.add(region);
		return region;
	}

	/**
	 * Return the address of the first byte, as work requests name it.
	 * @return the address
	 */
	public long address() {
		return this.data.address();
	}

	/**
	 * Return the key for local work requests.
	 * @return the key
	 */
	public int lkey() {
		return this.data.lkey();
	}

	/**
	 * Return the key for the work requests of peers.
	 * @return the key
	 */
	public int rkey() {
		return this.data.rkey();
	}

	/**
	 * Return the memory.
	 * @return the buffer that was registered
	 */
	public ByteBuffer memory() {
		return this.memory;
	}

	/**
	 * Return the size.
	 * @return the size in bytes
	 */
	public long length() {
		return this.data.length();
	}

	/**
	 * Deregister the memory; stands for {@code ibv_dereg_mr}. Does nothing the second
	 * time.
	 * @throws RdmaException on EBUSY, EIO
	 */
	public void deregister() {
		if (this.deregistered.compareAndSet(false, true)) {
			this.provider.ibvDeregMr(this.data.mr());
			registered.remove(this);
		}
	}

}
