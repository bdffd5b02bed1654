package io.github.rdmaboot.endpoint;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.endpoint.destroy.Deadline;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Daemon threads of a started registry for one kind of work, each of which ends after 10
 * idle seconds. A thread that is left behind in a call gets a substitute until the call
 * returns. The monitor of this object guards how many are.
 */
final class WorkerPool implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(WorkerPool.class);

	/** How long to wait at most before looking whether only stuck threads are left. */
	private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final AtomicInteger numbers = new AtomicInteger();

	private final String name;

	private final int threads;

	private final ThreadPoolExecutor executor;

	private int leftBehind;

	WorkerPool(String name, int threads) {
		this.name = name;
		this.threads = threads;
		this.executor = new ThreadPoolExecutor(threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				(task) -> new Worker(this, task, name + "-" + this.numbers.incrementAndGet()));
		this.executor.allowCoreThreadTimeOut(true);
	}

	@Override
	public void execute(Runnable task) {
		this.executor.execute(task);
	}

	// A call that a thread is in takes too long. Does nothing for threads of no pool.
	static void leaveBehind(Thread thread) {
		if (thread instanceof Worker worker) {
			worker.pool.changeLeftBehind(1);
		}
	}

	// A thread that was left behind has come back.
	static void returned(Thread thread) {
		if (thread instanceof Worker worker) {
			worker.pool.changeLeftBehind(-1);
		}
	}

	private synchronized void changeLeftBehind(int change) {
		this.leftBehind += change;
		int size = this.threads + this.leftBehind;
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
			logger.warn(
					"No thread could be started in place of one '{}' that is left behind; the next task tries again",
					this.name, ex);
		}
	}

	// Whether no thread will end that is not inside a call which was left behind.
	private synchronized boolean isOver() {
		return this.executor.isTerminated()
				|| (this.executor.getPoolSize() <= this.leftBehind && this.executor.getQueue().isEmpty());
	}

	/**
	 * Take no more tasks; those that wait are still carried out.
	 */
	void shutdown() {
		this.executor.shutdown();
	}

	// Wait until all threads have ended but those that are left behind. An interrupt does
	// not end the wait, for native
	// objects are about to be destroyed; it is kept for the caller. A thread of the pool
	// itself, a listener that closes the registry for instance, does not wait: it would
	// wait for its own end.
	void awaitEnd(Deadline deadline) {
		if (Thread.currentThread() instanceof Worker worker && worker.pool == this) {
			logger.debug("Thread '{}' does not wait for its own end", worker.getName());
			return;
		}
		boolean interrupted = false;
		try {
			while (!isOver() && deadline.remainingNanos() > 0) {
				try {
					this.executor.awaitTermination(Math.min(TICK_NANOS, deadline.remainingNanos()),
							TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
		if (!this.executor.isTerminated()) {
			logger.warn("A thread '{}' of the RDMA endpoints is still inside a call: {}", this.name, this.executor);
		}
	}

	/**
	 * Thread that knows its pool.
	 */
	private static final class Worker extends Thread {

		private final WorkerPool pool;

		private Worker(WorkerPool pool, Runnable task, String name) {
			super(task, name);
			this.pool = pool;
			setDaemon(true);
		}

	}

}
