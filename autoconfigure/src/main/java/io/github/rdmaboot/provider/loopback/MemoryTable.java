package io.github.rdmaboot.provider.loopback;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

import io.github.rdmaboot.provider.AccessFlag;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory of a fabric, by key and by address. Addresses are made up, never
 * overlap and are not used twice, so a stale one is always noticed. Guarded by the
 * fabric's lock.
 */
final class MemoryTable {

	private static final int KNOWN_FLAGS = 0x3ff0_0000 | 0x1ff;

	private static final long PAGE = 4096;

	/** What is kept for the data of a message on its way. */
	private static final int MAX_SCRATCH = 1 << 20;

	private final IntTable<LoopbackMr> byKey = new IntTable<>();

	private final TreeMap<Long, LoopbackMr> byAddress = new TreeMap<>();

	private long nextAddress = 0x1000_0000_0000L;

	private int lastKey = 0x100;

	private byte[] scratch = {};

	LoopbackMr register(LoopbackPd pd, ByteBuffer memory, int access) {
		if (!memory.isDirect()) {
			throw new IllegalArgumentException("Only a direct buffer can be registered: the heap moves");
		}
		int remoteChange = AccessFlag.REMOTE_WRITE.value() | AccessFlag.REMOTE_ATOMIC.value();
		boolean localWrite = (access & AccessFlag.LOCAL_WRITE.value()) != 0;
		if ((access & ~KNOWN_FLAGS) != 0 || ((access & remoteChange) != 0 && !localWrite)) {
			throw new RdmaException("ibv_reg_mr", Errno.EINVAL.value());
		}
		if (localWrite && memory.isReadOnly()) {
			throw new RdmaException("ibv_reg_mr", Errno.EFAULT.value());
		}
		this.lastKey += 0x101;
		while (this.lastKey == 0 || this.byKey.get(this.lastKey) != null) {
			this.lastKey++;
		}
		LoopbackMr mr = new LoopbackMr(pd, memory.slice(), this.nextAddress, access, this.lastKey);
		this.nextAddress += (memory.remaining() / PAGE + 2) * PAGE;
		this.byKey.put(mr.key(), mr);
		this.byAddress.put(mr.address(), mr);
		pd.use();
		return mr;
	}

	void remove(LoopbackMr mr) {
		this.byKey.remove(mr.key());
		this.byAddress.remove(mr.address());
		mr.pd().release();
	}

	@Nullable LoopbackMr withKey(int key) {
		return this.byKey.get(key);
	}

	/**
	 * Find memory that inline data names by its address alone.
	 * @param address the address
	 * @param length the length in bytes
	 * @return the memory region around it or {@code null}
	 */
	@Nullable LoopbackMr around(long address, int length) {
		Map.Entry<Long, LoopbackMr> below = this.byAddress.floorEntry(address);
		return (below != null && below.getValue().contains(address, length)) ? below.getValue() : null;
	}

	/**
	 * Return an array for the data of a message on its way.
	 * @param length how many bytes it needs room for
	 * @return the same array each time, unless it would be very large
	 */
	byte[] scratch(int length) {
		if (length > MAX_SCRATCH) {
			return new byte[length];
		}
		if (this.scratch.length < length) {
			this.scratch = new byte[Integer.highestOneBit(Math.max(1, length - 1)) * 2];
		}
		return this.scratch;
	}

	int size() {
		return this.byKey.size();
	}

}
