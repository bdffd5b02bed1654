package io.github.rdmaboot.cm;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;

/**
 * The end of a CM id: disconnects it and destroys it, in the order that the library
 * needs.
 */
final class CmIdEnd {

	private CmIdEnd() {
	}

	// Disconnect if a connection was ever started; returns whether the call was made.
	static boolean disconnect(OwnedCmId id, CmIdGuard guard) {
		guard.lock();
		try {
			CmIdState before = id.current.state();
			if (!before.isLive() || !id.current.connectionStarted) {
				return false;
			}
			if (before == CmIdState.ESTABLISHED || before == CmIdState.CONNECTING || before == CmIdState.ACCEPTING) {
				id.current.move(before, CmIdState.DISCONNECTING);
			}
			try {
				id.provider().rdmaDisconnect(id.current.handle);
			}
			catch (RdmaException ex) {
				if (!isNothingToDisconnect(ex)) {
					id.lastError = ex;
					throw ex;
				}
			}
			return true;
		}
		finally {
			guard.unlock();
		}
	}

	// Destroy the native id; returns whether there was one.
	static boolean destroy(OwnedCmId id, CmIdGuard guard) {
		guard.lock();
		try {
			NativeCmId cmId = id.current;
			if (!cmId.state().isLive()) {
				return false;
			}
			if (cmId.queuePair != null) {
				throw new IllegalStateException(
						guard.describe("rdma_destroy_id") + ": its queue pair must be destroyed first");
			}
			cmId.move(CmIdState.DESTROYING);
			CmIdState outcome = CmIdState.LEAKED;
			try {
				cmId.channel().destroy(id, cmId.handle, cmId.ledger);
				outcome = CmIdState.NONE;
			}
			catch (RuntimeException ex) {
				id.lastError = ex;
				throw ex;
			}
			finally {
				cmId.handle = 0;
				cmId.move(outcome);
			}
			return true;
		}
		finally {
			guard.unlock();
		}
	}

	private static boolean isNothingToDisconnect(RdmaException ex) {
		return ex.errno() == Errno.EINVAL.value() || ex.errno() == Errno.ENXIO.value();
	}

}
