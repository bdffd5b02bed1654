package io.github.rdmaboot.verbs;

/**
 * Pause of a thread that polls and found nothing. From time to time it gives way to
 * another thread that wants the processor, the peer's or that of the work it waits for.
 * Belongs to one thread.
 */
final class SpinWait {

	private static final int PAUSES = 64;

	private int pauses;

	void pause() {
		if (++this.pauses % PAUSES == 0) {
			Thread.yield();
		}
		else {
			Thread.onSpinWait();
		}
	}

}
