package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners of one destroy, each in order and on a thread of its own, so that one
 * that blocks keeps nothing native from being freed and no other from being told. The
 * conductor of the destroy waits for them all the same, within the limit of the destroy.
 * A thread serves one destroy, for listeners may destroy something else, or wait for
 * another destroy.
 */
final class Teller implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Teller.class);

	private static final AtomicInteger numbers = new AtomicInteger();

	/**
	 * How long a destroy whose time is up waits for listeners: those that do not block
	 * take no time.
	 */
	private static final Duration MIN_TIMEOUT = Duration.ofMillis(250);

	/** Part of the limit for which listeners may hold up the begin of a destroy. */
	private static final int BEGINNING = 10;

	private final List<Line> lines;

	private final Deadline beginning;

	private final Deadline total;

	private final Thread conductor = Thread.currentThread();

	// Whether the conductor waits for listeners no more.
	private volatile boolean over;

	Teller(List<DestroyListener> listeners, Duration total) {
		this(listeners, total, UnaryOperator.identity());
	}

	Teller(List<DestroyListener> listeners, Duration total, UnaryOperator<Thread> threads) {
		this.lines = listeners.stream().map((listener) -> new Line(listener, threads)).toList();
		this.beginning = Deadline.after(total.dividedBy(BEGINNING));
		this.total = Deadline.after(total);
	}

	// Tell that something begins, and wait for the listeners unless they take long.
	void tellFirst(Consumer<DestroyListener> message) {
		tell(message);
		awaitFirst();
	}

	// Wait for what was told until now, unless the listeners take long.
	void awaitFirst() {
		if (this.beginning.remainingNanos() > 0 && !awaitTold(this.beginning)) {
			warnOfBlocking("goes on");
		}
	}

	void tell(Consumer<DestroyListener> message) {
		this.lines.forEach((line) -> line.tell(message));
	}

	// Run a task when the listeners know of all that was told until now, without a wait.
	void whenTold(Runnable task) {
		List<Line> used = this.lines.stream().filter(Line::isUsed).toList();
		AtomicInteger blocked = new AtomicInteger(used.size());
		used.forEach((line) -> line.execute(() -> {
			if (blocked.decrementAndGet() == 0) {
				task.run();
			}
		}));
		if (used.isEmpty()) {
			task.run();
		}
	}

	private boolean awaitTold(Deadline deadline) {
		CountDownLatch told = new CountDownLatch(this.lines.size());
		this.lines.forEach((line) -> line.execute(told::countDown));
		return deadline.await(told);
	}

	// Wait until the listeners have been told, as long as there is time.
	@Override
	public void close() {
		try {
			if (this.lines.stream().anyMatch(Line::isUsed) && !awaitRest()) {
				warnOfBlocking("is over");
				return;
			}
			this.lines.forEach(Line::end);
		}
		finally {
			this.over = true;
		}
	}

	private boolean awaitRest() {
		Duration left = this.total.remaining();
		WorkerPool.waitsForListeners(true);
		try {
			return awaitTold((left.compareTo(MIN_TIMEOUT) < 0) ? Deadline.after(MIN_TIMEOUT) : this.total);
		}
		finally {
			WorkerPool.waitsForListeners(false);
		}
	}

	private void warnOfBlocking(String destroy) {
		this.lines.forEach((line) -> line.warnOfBlocking(destroy));
	}

	/**
	 * Return whether the calling thread is one, or tells listeners of a destroy that such
	 * a one conducts and waits for, and so must not wait for it in turn.
	 * @param conductor what tells the thread
	 * @return whether it is
	 */
	static boolean isWaitedForBy(Predicate<Thread> conductor) {
		Thread thread = Thread.currentThread();
		while (thread != null && !conductor.test(thread)) {
			thread = (thread instanceof TellerThread teller) ? teller.waiting() : null;
		}
		return thread != null;
	}

	/**
	 * What is told to one listener.
	 */
	private final class Line {

		private final DestroyListener listener;

		private final ThreadPoolExecutor executor;

		private volatile @Nullable Told current;

		private Line(DestroyListener listener, UnaryOperator<Thread> threads) {
			this.listener = listener;
			this.executor = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
					(task) -> threads.apply(new TellerThread(Teller.this, task)));
			// What remains to be told when the listener has blocked is told if it
			// returns.
			this.executor.allowCoreThreadTimeOut(true);
		}

		private void tell(Consumer<DestroyListener> message) {
			execute(() -> pass(message));
		}

		private void pass(Consumer<DestroyListener> message) {
			this.current = new Told(System.nanoTime(), Thread.currentThread());
			try {
				message.accept(this.listener);
			}
			catch (RuntimeException | Error ex) {
				logger.warn("Listener {} failed", this.listener, ex);
			}
			finally {
				this.current = null;
			}
		}

		private void execute(Runnable task) {
			try {
				this.executor.execute(task);
			}
			catch (RejectedExecutionException ex) {
				// The thread of a call that returned late, for which nobody waits.
				task.run();
			}
			catch (OutOfMemoryError ex) {
				logger.warn("No thread could be started to tell a listener of a destroy, so the calling one does it",
						ex);
				this.executor.remove(task);
				task.run();
			}
		}

		private boolean isUsed() {
			return this.executor.getTaskCount() > 0;
		}

		private void end() {
			this.executor.shutdown();
		}

		private void warnOfBlocking(String destroy) {
			Told current = this.current;
			if (current != null) {
				IllegalStateException where = new IllegalStateException("The listener is blocked here");
				where.setStackTrace(current.thread().getStackTrace());
				logger.warn(
						"Listener {} of destroys has not returned for {} ms and holds up thread '{}'; the destroy {}, "
								+ "and the listener is told the rest when it returns",
						this.listener.getClass().getName(),
						Duration.ofNanos(System.nanoTime() - current.since()).toMillis(), current.thread().getName(),
						destroy, where);
			}
		}

	}

	private record Told(long since, Thread thread) {

	}

	/**
	 * Thread that knows for whom it tells.
	 */
	private static final class TellerThread extends Thread {

		private final Teller teller;

		private final Thread conductor;

		private TellerThread(Teller teller, Runnable task) {
			super(task, "rdma-listeners-" + numbers.incrementAndGet());
			this.teller = teller;
			this.conductor = teller.conductor;
			setDaemon(true);
		}

		// Return who waits for what it tells, or null if nobody does any more.
		private @Nullable Thread waiting() {
			return this.teller.over ? null : this.conductor;
		}

	}

}
