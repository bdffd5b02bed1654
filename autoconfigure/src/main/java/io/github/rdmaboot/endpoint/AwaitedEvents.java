package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.rdmaboot.cm.CmEvent;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.Errno;
import org.jspecify.annotations.Nullable;

/**
 * Events of a CM id for which a thread waits, one after the other, each with its own
 * limit. They come in from the event channel's thread.
 */
final class AwaitedEvents {

	private final String endpoint;

	private final Supplier<ConnectionClosedException> cancelled;

	private final LinkedBlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

	AwaitedEvents(String endpoint, Supplier<ConnectionClosedException> cancelled) {
		this.endpoint = endpoint;
		this.cancelled = cancelled;
	}

	void onEvent(CmEvent event) {
		this.signals.add(new Signal(event));
	}

	/**
	 * End the wait, because what waits is being destroyed.
	 */
	void cancel() {
		this.signals.add(new Signal(null));
	}

	/**
	 * Forget what came too late.
	 */
	void clear() {
		this.signals.clear();
	}

	// Wait for the answer to a call.
	CmEvent await(String call, String address, CmEventType expected, Predicate<CmEvent> answer, Duration limit) {
		return await(call, address, expected, answer, Deadline.after(limit), limit);
	}

	// The same, with a limit that began earlier.
	CmEvent await(String call, String address, CmEventType expected, Predicate<CmEvent> answer, Deadline deadline,
			Duration limit) {
		while (true) {
			Signal signal = next(call, address, deadline);
			if (signal == null) {
				throw new RdmaEndpointException(this.endpoint, address, call, Errno.ETIMEDOUT.value(),
						call + " got no answer within " + limit.toMillis() + " ms (ETIMEDOUT)", null);
			}
			CmEvent event = signal.event();
			if (event == null) {
				throw this.cancelled.get();
			}
			if (event.type() == expected && event.status() == 0 && answer.test(event)) {
				return event;
			}
			if (event.type() == CmEventType.REJECTED) {
				throw new ConnectionRejectedException(this.endpoint, address, event);
			}
			if (isFailure(event)) {
				throw new RdmaEndpointException(this.endpoint, address, call, event.errno(),
						call + " failed with " + Errno.describe(event.errno()) + ": " + event.describe(), null);
			}
		}
	}

	private static boolean isFailure(CmEvent event) {
		return switch (event.type()) {
			case ADDR_ERROR, ROUTE_ERROR, CONNECT_ERROR, UNREACHABLE, DISCONNECTED, MULTICAST_ERROR, DEVICE_REMOVAL ->
				true;
			default -> event.status() != 0;
		};
	}

	private @Nullable Signal next(String call, String address, Deadline deadline) {
		try {
			return this.signals.poll(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RdmaEndpointException(this.endpoint, address, call, Errno.EINTR.value(),
					call + " was interrupted (EINTR)", ex);
		}
	}

	/**
	 * What wakes the thread: an event, or none when the wait is cancelled.
	 */
	private record Signal(@Nullable CmEvent event) {

	}

}
