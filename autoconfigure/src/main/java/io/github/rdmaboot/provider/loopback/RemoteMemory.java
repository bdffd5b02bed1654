package io.github.rdmaboot.provider.loopback;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

import io.github.rdmaboot.provider.AccessFlag;
import io.github.rdmaboot.provider.CompletionStatus;
import org.jspecify.annotations.Nullable;

/**
 * Accesses the memory of a peer on behalf of a sender, checking what the peer permits.
 * Its methods are called with the fabric's lock held.
 */
final class RemoteMemory {

	private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private RemoteMemory() {
	}

	static CompletionStatus write(LoopbackQp peer, long address, int rkey, byte[] data, int length) {
		if (!peerPermits(peer, AccessFlag.REMOTE_WRITE)) {
			return CompletionStatus.REM_INV_REQ_ERR;
		}
		if (length == 0) {
			return CompletionStatus.SUCCESS;
		}
		LoopbackMr mr = find(peer, address, rkey, length, AccessFlag.REMOTE_WRITE);
		if (mr == null) {
			return CompletionStatus.REM_ACCESS_ERR;
		}
		mr.write(address, data, 0, length);
		return CompletionStatus.SUCCESS;
	}

	static CompletionStatus read(LoopbackQp peer, long address, int rkey, byte[] data, int length) {
		if (!peerPermits(peer, AccessFlag.REMOTE_READ) || peer.settings.maxDestRdAtomic == 0) {
			return CompletionStatus.REM_INV_REQ_ERR;
		}
		if (length == 0) {
			return CompletionStatus.SUCCESS;
		}
		LoopbackMr mr = find(peer, address, rkey, length, AccessFlag.REMOTE_READ);
		if (mr == null) {
			return CompletionStatus.REM_ACCESS_ERR;
		}
		mr.read(address, data, 0, length);
		return CompletionStatus.SUCCESS;
	}

	static CompletionStatus compareAndSwap(LoopbackQp peer, long address, int rkey, long compare, long swap,
			byte[] original) {
		CompletionStatus status = checkAtomic(peer, address, rkey);
		LoopbackMr mr = find(peer, address, rkey, Long.BYTES, AccessFlag.REMOTE_ATOMIC);
		if (status == CompletionStatus.SUCCESS && mr != null) {
			long value = mr.memory().getLong(mr.offset(address));
			if (value == compare) {
				mr.memory().putLong(mr.offset(address), swap);
			}
			put(original, value);
		}
		return status;
	}

	static CompletionStatus fetchAndAdd(LoopbackQp peer, long address, int rkey, long addend, byte[] original) {
		CompletionStatus status = checkAtomic(peer, address, rkey);
		LoopbackMr mr = find(peer, address, rkey, Long.BYTES, AccessFlag.REMOTE_ATOMIC);
		if (status == CompletionStatus.SUCCESS && mr != null) {
			long value = mr.memory().getLong(mr.offset(address));
			mr.memory().putLong(mr.offset(address), value + addend);
			put(original, value);
		}
		return status;
	}

	private static CompletionStatus checkAtomic(LoopbackQp peer, long address, int rkey) {
		if (!peerPermits(peer, AccessFlag.REMOTE_ATOMIC) || peer.settings.maxDestRdAtomic == 0) {
			return CompletionStatus.REM_INV_REQ_ERR;
		}
		LoopbackMr mr = find(peer, address, rkey, Long.BYTES, AccessFlag.REMOTE_ATOMIC);
		return (mr != null) ? CompletionStatus.SUCCESS : CompletionStatus.REM_ACCESS_ERR;
	}

	private static boolean peerPermits(LoopbackQp peer, AccessFlag flag) {
		return (peer.settings.accessFlags & flag.value()) != 0;
	}

	private static @Nullable LoopbackMr find(LoopbackQp peer, long address, int rkey, int length, AccessFlag flag) {
		LoopbackMr mr = peer.fabric().memory().withKey(rkey);
		return (mr != null && mr.permits(peer.pd(), address, length, flag.value())) ? mr : null;
	}

	private static void put(byte[] target, long value) {
		LONG.set(target, 0, value);
	}

}
