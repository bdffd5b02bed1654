package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import io.github.rdmaboot.endpoint.destroy.Deadline;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Daemon threads of a started registry for one kind of work, each of which ends after 10
 * idle seconds. A thread that is left behind in a call, or held up for long, gets a
 * substitute until it comes back. The monitor of this object guards how many are.
 */
final class WorkerPool implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(WorkerPool.class);

	/** How long to wait at most before looking whether only stuck threads are left. */
	private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final AtomicInteger numbers = new AtomicInteger();

	private final String name;

	private final int threads;

	private final ThreadPoolExecutor executor;

	private final Set<Worker> workers = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean starving = new AtomicBoolean();

	private int leftBehind;

	private int heldUp;

	WorkerPool(String name, int threads) {
		this(name, threads, UnaryOperator.identity());
	}

	WorkerPool(String name, int threads, UnaryOperator<Thread> made) {
		this.name = name;
		this.threads = threads;
		this.executor = new ThreadPoolExecutor(threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				(task) -> made.apply(new Worker(this, task, name + "-" + this.numbers.incrementAndGet())));
		this.executor.allowCoreThreadTimeOut(true);
	}

	@Override
	public void execute(Runnable task) {
		this.executor.execute(task);
	}

	// Carry out a task that may take long, as what waits for a peer or for a call that is
	// stuck. If it takes longer than patience lasts, another thread does meanwhile what
	// comes after it. If no thread can be started, that is tried again until one can.
	void execute(Runnable task, Duration patience, ScheduledExecutorService timer) {
		hand(new LongTask(task, patience, timer));
	}

	private void hand(LongTask task) {
		try {
			this.executor.execute(task);
			this.starving.set(false);
		}
		catch (OutOfMemoryError ex) {
			ScheduledFuture<?> retry = task.timer.schedule(() -> handUnlessShutDown(task), task.patience.toNanos(),
					TimeUnit.NANOSECONDS);
			long pause = retry.getDelay(TimeUnit.MILLISECONDS);
			// Many tasks that find none, again and again, are worth one line in the log.
			if (this.starving.getAndSet(true)) {
				logger.debug("Still no thread '{}' could be started, which is tried again in {} ms", this.name, pause);
			}
			else {
				logger.warn("No thread '{}' could be started, which is tried again in {} ms and until one can be",
						this.name, pause, ex);
			}
		}
	}

	private void handUnlessShutDown(LongTask task) {
		try {
			hand(task);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Threads '{}' take no task any more that had found none", this.name, ex);
		}
	}

	// A call that a thread is in takes too long. Does nothing for threads of no pool.
	static void leaveBehind(Thread thread) {
		if (thread instanceof Worker worker) {
			worker.pool.leftBehind(1);
		}
	}

	// A thread that was left behind has come back.
	static void returned(Thread thread) {
		if (thread instanceof Worker worker) {
			worker.pool.leftBehind(-1);
		}
	}

	// Let a thread be watched in the call that it is about to make, or no longer.
	static void watch(Thread thread, @Nullable CallWatch watch) {
		if (thread instanceof Worker worker) {
			worker.watch = watch;
		}
	}

	// The calling thread has made all its calls and waits for listeners of a destroy, or
	// no longer. Does nothing for threads of no pool.
	static void waitsForListeners(boolean waits) {
		if (Thread.currentThread() instanceof Worker worker) {
			worker.waitsForListeners = waits;
		}
	}

	// Return what watches the call that a thread is inside of.
	static @Nullable CallWatch watchOf(Thread thread) {
		return (thread instanceof Worker worker) ? worker.watch : null;
	}

	private synchronized void leftBehind(int change) {
		this.leftBehind += change;
		resize(change);
	}

	// A thread is held up by something that takes long and ends by itself, or no longer.
	private synchronized void heldUp(int change) {
		this.heldUp += change;
		resize(change);
	}

	private void resize(int change) {
		int size = this.threads + this.leftBehind + this.heldUp;
		try {
			if (change > 0) {
				this.executor.setMaximumPoolSize(size);
				this.executor.setCorePoolSize(size);
			}
			else {
				this.executor.setCorePoolSize(size);
				this.executor.setMaximumPoolSize(size);
			}
		}
		catch (OutOfMemoryError ex) {
			logger.warn("No thread could be started in place of one '{}' that is held up; the next task tries again",
					this.name, ex);
		}
	}

	// Whether no thread will end that is not inside a call which was left behind, or
	// waits for listeners.
	private synchronized boolean isOver() {
		return this.executor.isTerminated()
				|| (this.executor.getPoolSize() <= this.leftBehind + waitingForListeners().size()
						&& this.executor.getQueue().isEmpty());
	}

	private synchronized boolean isAnyLeftBehind() {
		return this.leftBehind > 0;
	}

	private List<Worker> waitingForListeners() {
		return this.workers.stream().filter((worker) -> worker.waitsForListeners).toList();
	}

	/**
	 * Take no more tasks; those that wait are still carried out.
	 */
	void shutdown() {
		this.executor.shutdown();
	}

	/**
	 * Return whether all threads have ended, those that were left behind included.
	 * @return whether they have
	 */
	boolean isTerminated() {
		return this.executor.isTerminated();
	}

	// Wait until all threads have ended but those that are left behind, which become
	// those that have been inside a watched call for some time, and at the deadline all
	// that are inside one, however long their calls might take otherwise, and those that
	// wait for listeners, which make no calls any more. An interrupt does not end the
	// wait, for native objects are about to be destroyed; it is kept for the caller. A
	// thread of the pool itself, or one that such a thread waits for, a listener that
	// closes the registry for instance, does not wait: it would wait for its own end.
	void awaitEnd(Deadline deadline, Duration callLimit) {
		if (Teller.isWaitedForBy((thread) -> thread instanceof Worker worker && worker.pool == this)) {
			logger.debug("Thread '{}' does not wait for its own end", Thread.currentThread().getName());
			return;
		}
		boolean interrupted = false;
		boolean over = isOver();
		try {
			while (!over && deadline.remainingNanos() > 0) {
				this.workers.forEach((worker) -> CallWatch.giveUp(worker, callLimit));
				try {
					this.executor.awaitTermination(Math.min(TICK_NANOS, deadline.remainingNanos()),
							TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
				over = isOver();
			}
			this.workers.forEach((worker) -> CallWatch.giveUp(worker, Duration.ZERO));
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
		List<Worker> waiting = waitingForListeners();
		// When it was over, one that waited may have gone on meanwhile, to its end.
		if (over ? isAnyLeftBehind() : this.executor.getPoolSize() > waiting.size()) {
			logger.warn("A thread '{}' of the RDMA endpoints is still inside a call: {}", this.name, this.executor);
		}
		else if (!waiting.isEmpty()) {
			logger.info("Threads of the RDMA endpoints that still wait for listeners of destroys: {}", waiting);
		}
	}

	/**
	 * Thread that knows its pool.
	 */
	private static final class Worker extends Thread {

		private final WorkerPool pool;

		private volatile @Nullable CallWatch watch;

		private volatile boolean waitsForListeners;

		private Worker(WorkerPool pool, Runnable task, String name) {
			super(task, name);
			this.pool = pool;
			setDaemon(true);
		}

		@Override
		public void run() {
			this.pool.workers.add(this);
			try {
				super.run();
			}
			finally {
				this.pool.workers.remove(this);
			}
		}

	}

	/**
	 * Task that gets its thread a substitute. It is carried out once, though the executor
	 * may have kept it when it said that it had no thread. The monitor of this object
	 * guards how far it is, and whether it has a substitute.
	 */
	private final class LongTask implements Runnable {

		private final Runnable task;

		private final Duration patience;

		private final ScheduledExecutorService timer;

		private boolean begun;

		private boolean ended;

		private boolean substituted;

		private LongTask(Runnable task, Duration patience, ScheduledExecutorService timer) {
			this.task = task;
			this.patience = patience;
			this.timer = timer;
		}

		@Override
		public void run() {
			if (!begin()) {
				return;
			}
			ScheduledFuture<?> substitution = this.timer.schedule(this::substitute, this.patience.toNanos(),
					TimeUnit.NANOSECONDS);
			try {
				this.task.run();
			}
			finally {
				substitution.cancel(false);
				end();
			}
		}

		private synchronized boolean begin() {
			boolean first = !this.begun;
			this.begun = true;
			return first;
		}

		private synchronized void substitute() {
			if (!this.ended) {
				this.substituted = true;
				heldUp(1);
			}
		}

		private synchronized void end() {
			this.ended = true;
			if (this.substituted) {
				heldUp(-1);
			}
		}

	}

}
