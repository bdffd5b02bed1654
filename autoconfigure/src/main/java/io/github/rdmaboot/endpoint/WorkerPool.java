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
 * idle seconds.
 */
final class WorkerPool implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(WorkerPool.class);

	private final AtomicInteger numbers = new AtomicInteger();

	private final String name;

	private final ThreadPoolExecutor executor;

	WorkerPool(String name, int threads) {
		this.name = name;
		this.executor = new ThreadPoolExecutor(threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				(task) -> new Worker(this, task, name + "-" + this.numbers.incrementAndGet()));
		this.executor.allowCoreThreadTimeOut(true);
	}

	@Override
	public void execute(Runnable task) {
		this.executor.execute(task);
	}

	/**
	 * Take no more tasks; those that wait are still carried out.
	 */
	void shutdown() {
		this.executor.shutdown();
	}

	// Wait until all threads have ended. An interrupt does not end the wait, for native
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
			while (!this.executor.isTerminated() && deadline.remainingNanos() > 0) {
				try {
					this.executor.awaitTermination(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
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
