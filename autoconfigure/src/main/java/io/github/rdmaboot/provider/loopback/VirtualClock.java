package io.github.rdmaboot.provider.loopback;

import java.time.Duration;

/**
 * Clock of a fabric that stands still until it is advanced, so that a time limit of the
 * kernel is tested in no time. While it is installed the waits of the providers on the
 * fabric follow it too. May be used by any thread.
 */
public final class VirtualClock implements AutoCloseable {

	private final FabricLock lock;

	private final FabricTimer timer;

	VirtualClock(FabricLock lock, FabricTimer timer) {
		this.lock = lock;
		this.timer = timer;
	}

	/**
	 * Advance the clock; whatever becomes due happens in its order before this returns.
	 * @param duration by how much, not negative
	 */
	public void advance(Duration duration) {
		if (duration.isNegative()) {
			throw new IllegalArgumentException("The clock cannot be advanced by " + duration + ": it never goes back");
		}
		try (FabricLock ignored = this.lock.hold()) {
			this.timer.advance(duration.toNanos());
		}
	}

	/**
	 * Go on in real time from where the clock stands.
	 */
	@Override
	public void close() {
		try (FabricLock ignored = this.lock.hold()) {
			if (this.timer.isVirtual()) {
				this.timer.useRealTime();
			}
		}
	}

}
