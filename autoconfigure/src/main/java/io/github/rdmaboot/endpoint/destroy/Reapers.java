package io.github.rdmaboot.endpoint.destroy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Daemon threads that carry out the steps of one destroy. There is one as long as every
 * call returns quickly; while calls do not return, further ones take over what waits
 * behind them. Used by the conducting thread alone.
 */
final class Reapers implements AutoCloseable {

	static final ThreadFactory DAEMONS = Reapers::daemon;

	private static final Logger logger = LoggerFactory.getLogger(Reapers.class);

	private static final AtomicInteger numbers = new AtomicInteger();

	/** How long a call may take before another thread takes over what waits behind it. */
	private static final Duration SLOW = Duration.ofMillis(100);

	private static final Runnable END = () -> {
	};

	private final LinkedBlockingQueue<Runnable> work = new LinkedBlockingQueue<>();

	private final ThreadFactory factory;

	private int threads;

	private boolean scarcityIsKnown;

	Reapers(ThreadFactory factory) {
		this.factory = factory;
	}

	private static Thread daemon(Runnable task) {
		Thread thread = new Thread(task, "rdma-reaper-" + numbers.incrementAndGet());
		thread.setDaemon(true);
		return thread;
	}

	// Carry out tasks that do not depend on each other, and return when each has ended or
	// passed its limit. While patience lasts a thread may rightly be waiting, and the
	// tasks behind it wait with it.
	void runAll(List<StepTask> tasks, Deadline patience, Duration limit, Deadline total) {
		if (tasks.isEmpty()) {
			return;
		}
		Batch batch = new Batch(tasks);
		this.work.add(batch);
		Deadline withoutThread = Deadline.after(limit);
		requireThread();
		long before = batch.left.getCount();
		while (!Deadline.after(SLOW).orEarlier(total).await(batch.left) && total.remainingNanos() > 0
				&& !tasks.stream().allMatch((task) -> task.isOver(limit))) {
			if (!requireThread() && withoutThread.remainingNanos() == 0) {
				break;
			}
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

	// Return whether there is a thread at all. The system may have none to give at first.
	private boolean requireThread() {
		if (this.threads == 0) {
			addThread();
		}
		return this.threads > 0;
	}

	private void addThread() {
		try {
			this.factory.newThread(this::run).start();
			this.threads++;
		}
		catch (OutOfMemoryError ex) {
			if (!this.scarcityIsKnown) {
				this.scarcityIsKnown = true;
				logger.warn("No thread could be started for a destroy, which goes on with {} of them", this.threads,
						ex);
			}
		}
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
