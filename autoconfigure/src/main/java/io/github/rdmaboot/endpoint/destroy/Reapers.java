package io.github.rdmaboot.endpoint.destroy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
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

	private int threads;

	// Carry out tasks that do not depend on each other, and return when each has ended or
	// passed its limit. While patience lasts a thread may rightly be waiting, and the
	// tasks behind it wait with it.
	void runAll(List<StepTask> tasks, Deadline patience, Duration limit, Deadline total) {
		if (tasks.isEmpty()) {
			return;
		}
		if (this.threads == 0) {
			addThread();
		}
		Batch batch = new Batch(tasks);
		this.work.add(batch);
		long before = batch.left.getCount();
		while (!Deadline.after(SLOW).orEarlier(total).await(batch.left) && total.remainingNanos() > 0
				&& !tasks.stream().allMatch((task) -> task.isOver(limit))) {
			long now = batch.left.getCount();
			if (now == before && batch.hasMore() && patience.remainingNanos() == 0) {
				this.work.add(batch);
				addThread();
			}
			before = now;
		}
		if (batch.hasMore()) {
			this.work.add(batch);
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

	/**
	 * Tasks that are handed over together and watched with one latch, because being woken
	 * for each costs more than most of them take. Any number of threads may run it: each
	 * task is begun by one of them.
	 */
	private static final class Batch implements Runnable {

		private final List<StepTask> tasks;

		private final AtomicInteger begun = new AtomicInteger();

		private final CountDownLatch left;

		private Batch(List<StepTask> tasks) {
			this.tasks = List.copyOf(tasks);
			this.left = new CountDownLatch(tasks.size());
		}

		private boolean hasMore() {
			return this.begun.get() < this.tasks.size();
		}

		@Override
		public void run() {
			for (int next = this.begun.getAndIncrement(); next < this.tasks.size(); next = this.begun
				.getAndIncrement()) {
				this.tasks.get(next).run();
				this.left.countDown();
			}
		}

	}

}
