package io.github.rdmaboot.endpoint.destroy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Daemon threads that carry out the steps of one destroy. There is one as long as every
 * call returns quickly; while calls do not return, further ones take over what waits
 * behind them. Used by the conducting thread alone.
 */
final class Reapers implements AutoCloseable {

	private static final AtomicInteger numbers = new AtomicInteger();

	/** How long a call may take before another thread takes over what waits behind it. */
	private static final Duration SLOW = Duration.ofMillis(100);

	private static final Runnable END = () -> {
	};

	private final LinkedBlockingQueue<Runnable> work = new LinkedBlockingQueue<>();

	private final AtomicInteger finished = new AtomicInteger();

	private int threads;

	// Carry out tasks that do not depend on each other and return when all have ended or
	// passed their limit. Waits are left to one thread, because they share one deadline.
	void runAll(List<StepTask> tasks, boolean waits, Deadline total, Duration callLimit) {
		if (tasks.isEmpty()) {
			return;
		}
		if (this.threads == 0) {
			addThread();
		}
		this.work.addAll(tasks);
		for (StepTask task : tasks) {
			int before = this.finished.get();
			while (!task.await(Deadline.after(SLOW).orEarlier(total))) {
				if (total.remainingNanos() == 0 || task.runningFor().compareTo(callLimit) >= 0) {
					break;
				}
				int now = this.finished.get();
				if (now == before && !this.work.isEmpty()
						&& (!waits || tasks.get(0).runningFor().compareTo(callLimit) >= 0)) {
					addThread();
				}
				before = now;
			}
		}
	}

	private void addThread() {
		this.threads++;
		Thread thread = new Thread(this::run, "rdma-reaper-" + numbers.incrementAndGet());
		thread.setDaemon(true);
		thread.start();
	}

	private void run() {
		try {
			for (Runnable task = this.work.take(); task != END; task = this.work.take()) {
				task.run();
				this.finished.incrementAndGet();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void close() {
		for (int i = 0; i < this.threads; i++) {
			this.work.add(END);
		}
	}

}
