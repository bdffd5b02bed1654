package io.github.rdmaboot.endpoint;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.verbs.CompletionThread;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executor over one of the application, which may block until it takes a task: a thread
 * that takes completions waits for that, which slows peers down. All others, which fetch
 * events, destroy, or hold a lock of an endpoint, leave that to one thread.
 */
final class HandlerExecutor implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(HandlerExecutor.class);

	private static final long END_TIMEOUT_MILLIS = 250;

	private final Executor application;

	private final Executor handlers;

	private final ThreadPoolExecutor thread;

	private final Executor others;

	HandlerExecutor(Executor application, ThreadFactory threads) {
		this.application = application;
		this.handlers = new SafeExecutor(application);
		this.thread = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
		this.thread.allowCoreThreadTimeOut(true);
		this.others = new SafeExecutor(this.thread);
	}

	@Override
	public void execute(Runnable task) {
		if (CompletionThread.isCurrent()) {
			this.handlers.execute(task);
		}
		else {
			this.others.execute(() -> this.handlers.execute(task));
		}
	}

	// End the thread when the application's executor has taken what came so far. What
	// comes later gets a thread of its own. Waited for when the time of a stop is up too:
	// an executor that does not block takes no time.
	void shutdown() {
		this.thread.shutdown();
		try {
			if (!this.thread.awaitTermination(END_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
				logger.warn("The handler executor {} of the RDMA endpoints does not take what is still to be told: {}",
						this.application, this.thread);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
