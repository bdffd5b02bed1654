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

	// Carry out tasks that do not depend on each other, and return when each has ended or
	// passed its limit. While patience lasts a thread may rightly be waiting, and the
	// tasks
	// behind it wait with it.
	void runAll(List<StepTask> tasks, Deadline patience, Duration limit, Deadline total) {
		if (tasks.isEmpty()) {
			return;
		}
		if (this.threads == 0) {
			addThread();
		}
		this.work.addAll(tasks);
		for (StepTask task : tasks) {
			int before = this.finished.get();
			while (!task.await(Deadline.after(SLOW).orEarlier(total)) && total.remainingNanos() > 0
					&& task.runningFor().compareTo(limit) < 0) {
				int now = this.finished.get();
				if (now == before && !this.work.isEmpty() && patience.remainingNanos() == 0) {
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

	// What was not begun in time goes on in the background.
	@Override
	public void close() {
		if (!this.work.isEmpty()) {
			addThread();
		}
		for (int i = 0; i < this.threads; i++) {
			this.work.add(END);
		}
	}

}
