package io.github.rdmaboot.provider.jna;

import java.nio.file.Path;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.HandleList;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaUnavailableException;

/**
 * Checks at start that the libraries work and are laid out as expected, as far as that
 * can be seen without harm.
 */
final class SelfCheck {

	private static final int[] FUNCTIONS = { ContextLayout.POLL_CQ, ContextLayout.REQ_NOTIFY_CQ,
			ContextLayout.POST_SEND, ContextLayout.POST_RECV };

	private final JnaRdmaProvider provider;

	private final DeviceTree tree;

	private final CallPath path;

	SelfCheck(JnaRdmaProvider provider, DeviceTree tree, CallPath path) {
		this.provider = provider;
		this.tree = tree;
		this.path = path;
	}

	/**
	 * Check everything.
	 * @throws RdmaUnavailableException for the first thing that is not as expected
	 */
	void run() {
		requireCallsThroughPointers(this.path.calls());
		requireEventChannel();
		requireDevice();
	}

	/**
	 * Check that functions can be called through their address, on one of the C library
	 * whose results are known.
	 * @param calls the calls
	 */
	static void requireCallsThroughPointers(FunctionCalls calls) {
		long compare = Pointer.nativeValue(NativeLibrary.getProcess().getGlobalVariableAddress("memcmp"));
		try (NativeBlock bytes = new NativeBlock(2 * Long.BYTES)) {
			bytes.putLong(0, -1).putLong(Long.BYTES, -1);
			long second = bytes.address() + Long.BYTES;
			int equal = calls.post(compare, bytes.address(), second, Long.BYTES);
			bytes.putByte(Long.BYTES - 1, 0);
			int smaller = calls.post(compare, bytes.address(), second, Long.BYTES);
			int shorter = calls.post(compare, bytes.address(), second, Long.BYTES - 1);
			require(equal == 0 && smaller < 0 && shorter == 0, "a call through a function pointer");
		}
	}

	private void requireEventChannel() {
		long channel = createEventChannel();
		try {
			requireFileDescriptor("fd of rdma_event_channel", JnaCmCalls.eventChannelFd(channel));
		}
		finally {
			this.provider.rdmaDestroyEventChannel(channel);
		}
	}

	// The files were found to be in order, so these are the reasons that they do not
	// show.
	private long createEventChannel() {
		try {
			return this.provider.rdmaCreateEventChannel();
		}
		catch (RdmaException ex) {
			throw explain(ex, this.tree.cmNode());
		}
	}

	private static RdmaException explain(RdmaException failure, Path node) {
		Errno errno = Errno.of(failure.errno());
		RdmaException explained = failure;
		if (errno == Errno.ENOENT) {
			explained = Unavailability.nodeMissing(node);
		}
		else if (errno == Errno.EPERM || errno == Errno.EACCES) {
			explained = Unavailability.nodeNotAccessible(node);
		}
		else if (errno == Errno.ENODEV) {
			explained = Unavailability.noDevice();
		}
		if (explained != failure) {
			explained.initCause(failure);
		}
		return explained;
	}

	private void requireDevice() {
		HandleList devices = this.provider.ibvGetDeviceList();
		try {
			if (devices.handles().length == 0) {
				throw Unavailability.driverLibraryMissing(this.tree.deviceNames());
			}
			requireOneThatOpens(devices.handles());
		}
		finally {
			this.provider.ibvFreeDeviceList(devices);
		}
	}

	// One device is enough: others may be meant for other programs.
	private void requireOneThatOpens(long[] devices) {
		RdmaException firstFailure = null;
		for (long device : devices) {
			try {
				requireKnownLayout(device);
				return;
			}
			catch (RdmaUnavailableException ex) {
				throw ex;
			}
			catch (RdmaException ex) {
				firstFailure = (firstFailure != null) ? firstFailure : ex;
			}
		}
		if (firstFailure != null) {
			throw explain(firstFailure, this.tree.deviceNodes().stream().findFirst().orElse(this.tree.cmNode()));
		}
	}

	private void requireKnownLayout(long device) {
		long context = this.provider.ibvOpenDevice(device);
		try {
			require(this.provider.deviceOf(context) == device, "device of ibv_context");
			for (int function : FUNCTIONS) {
				require(RawMemory.getLong(context + function) != 0,
						"function at offset " + function + " of ibv_context");
			}
			int vectors = RawMemory.getInt(context + ContextLayout.COMPLETION_VECTORS);
			require(vectors > 0, "num_comp_vectors of ibv_context, which is " + vectors + ",");
			requireFileDescriptor("cmd_fd of ibv_context", RawMemory.getInt(context + ContextLayout.CMD_FD));
			requireFileDescriptor("async_fd of ibv_context", RawMemory.getInt(context + ContextLayout.ASYNC_FD));
		}
		finally {
			this.provider.ibvCloseDevice(context);
		}
	}

	private static void requireFileDescriptor(String what, int fd) {
		require(FileDescriptors.isOpenAndCloseOnExec(fd), what + ", which is " + fd + ",");
	}

	private static void require(boolean expected, String what) {
		if (!expected) {
			throw Unavailability.libraryUnknown(what + " is not what it should be");
		}
	}

}
