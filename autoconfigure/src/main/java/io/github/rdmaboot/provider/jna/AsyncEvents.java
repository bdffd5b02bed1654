package io.github.rdmaboot.provider.jna;

import com.sun.jna.Native;
import io.github.rdmaboot.provider.AsyncEventData;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous events of a device. C leaves the memory of an event to the caller, so here
 * it lives from the fetch to the acknowledgement and its address is the event's handle.
 */
final class AsyncEvents {

	// enum ibv_event_type, by what the event is about.
	private static final int DEVICE_FATAL = 8;

	private static final int PORT_ACTIVE = 9;

	private static final int SM_CHANGE = 13;

	private static final int CLIENT_REREGISTER = 17;

	private static final int GID_CHANGE = 18;

	private AsyncEvents() {
	}

	static @Nullable AsyncEventData fetch(long context) {
		// Checked each time: a context at the same address may be another one.
		FileDescriptors.setNonBlocking(RawMemory.getInt(context + ContextLayout.ASYNC_FD));
		long event = Native.malloc(AsyncEventLayout.SIZE);
		boolean fetched = false;
		try {
			RawMemory.clear(event, AsyncEventLayout.SIZE);
			fetched = fetch(context, event);
			return fetched ? read(event) : null;
		}
		finally {
			if (!fetched) {
				Native.free(event);
			}
		}
	}

	private static boolean fetch(long context, long event) {
		while (Libibverbs.ibv_get_async_event(context, event) != 0) {
			int errno = CallOutcome.lastErrno();
			if (errno == Errno.EAGAIN.value()) {
				return false;
			}
			if (errno != Errno.EINTR.value()) {
				throw new RdmaException("ibv_get_async_event", errno);
			}
		}
		return true;
	}

	private static AsyncEventData read(long event) {
		int type = RawMemory.getInt(event + AsyncEventLayout.EVENT_TYPE);
		return new AsyncEventData(event, type, element(event, type));
	}

	private static long element(long event, int type) {
		if (type == DEVICE_FATAL) {
			return 0;
		}
		if (type >= PORT_ACTIVE && type <= SM_CHANGE || type == CLIENT_REREGISTER || type == GID_CHANGE) {
			return RawMemory.getInt(event + AsyncEventLayout.PORT_NUM);
		}
		return RawMemory.getLong(event + AsyncEventLayout.ELEMENT);
	}

	static void acknowledge(long event) {
		Libibverbs.ibv_ack_async_event(event);
		Native.free(event);
	}

}
