package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.MemoryRegionData;
import io.github.rdmaboot.provider.RdmaException;

/**
 * Registers direct buffers as memory regions.
 */
final class MemoryRegistration {

	// IBV_ACCESS_OPTIONAL_RANGE: flags that only the newer call accepts.
	private static final int OPTIONAL_ACCESS = 0x3FF00000;

	private MemoryRegistration() {
	}

	/**
	 * Register a buffer from its position to its limit.
	 * @param pd the protection domain
	 * @param memory the buffer
	 * @param accessFlags the access
	 * @return the memory region
	 */
	static MemoryRegionData register(long pd, ByteBuffer memory, int accessFlags) {
		String call = ((accessFlags & OPTIONAL_ACCESS) != 0) ? "ibv_reg_mr_iova2" : "ibv_reg_mr";
		long address = addressOf(call, memory);
		long length = memory.remaining();
		long mr = ((accessFlags & OPTIONAL_ACCESS) != 0)
				? Libibverbs.ibv_reg_mr_iova2(pd, address, length, address, accessFlags)
				: Libibverbs.ibv_reg_mr(pd, address, length, accessFlags);
		if (mr == 0) {
			throw failure(call, CallOutcome.lastErrno(), length);
		}
		return new MemoryRegionData(mr, RawMemory.getLong(mr + MemoryRegionLayout.ADDRESS),
				RawMemory.getLong(mr + MemoryRegionLayout.LENGTH), RawMemory.getInt(mr + MemoryRegionLayout.LKEY),
				RawMemory.getInt(mr + MemoryRegionLayout.RKEY));
	}

	/**
	 * Return the address of a buffer's position.
	 * @param call the C function that will take it
	 * @param memory the buffer
	 * @return the address
	 */
	static long addressOf(String call, ByteBuffer memory) {
		if (!memory.isDirect()) {
			throw new IllegalArgumentException(
					call + " needs a direct buffer; allocate it with ByteBuffer.allocateDirect");
		}
		return CallBlock.addressOf(memory) + memory.position();
	}

	private static RdmaException failure(String call, int errno, long length) {
		if (errno != Errno.ENOMEM.value() && errno != Errno.EPERM.value()) {
			return new RdmaException(call, errno);
		}
		return new RdmaException(call, errno,
				call + " of " + length + " bytes failed with " + Errno.describe(errno) + "; the memlock limit is "
						+ memlockLimit() + ". Raise it with 'ulimit -l unlimited', LimitMEMLOCK=infinity in a systemd "
						+ "unit, '--ulimit memlock=-1' for a container or the capability CAP_IPC_LOCK");
	}

	private static String memlockLimit() {
		try (NativeBlock limit = new NativeBlock(ResourceLimitLayout.SIZE)) {
			CallOutcome.requireNotMinusOne("getrlimit", Libc.getrlimit(Libc.RLIMIT_MEMLOCK, limit.address()));
			long bytes = limit.getLong(ResourceLimitLayout.CURRENT);
			return (bytes == -1) ? "unlimited" : Long.toUnsignedString(bytes) + " bytes";
		}
	}

}
