package io.github.rdmaboot.autoconfigure;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * Executor over a pool that the context shuts down when it begins to close, while
 * endpoints go on working. Policies such as
 * {@link java.util.concurrent.ThreadPoolExecutor.CallerRunsPolicy} lose what comes after
 * that without a word; here it is rejected, even if the pool has taken it just before.
 */
class TaskExecutorUntilShutdown implements Executor {

	private final ThreadPoolTaskExecutor pool;

	TaskExecutorUntilShutdown(ThreadPoolTaskExecutor pool) {
		this.pool = pool;
	}

	@Override
	public void execute(Runnable task) {
		this.pool.execute(task);
		if (this.pool.getThreadPoolExecutor().isShutdown()) {
			throw new RejectedExecutionException("The task executor is shut down and may have lost the task");
		}
	}

}
