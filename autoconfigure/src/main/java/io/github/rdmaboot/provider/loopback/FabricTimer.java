package io.github.rdmaboot.provider.loopback;

import java.util.Comparator;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import org.jspecify.annotations.Nullable;

/**
 * Time of a fabric and what is due later. In real time one daemon thread runs the tasks;
 * it starts with the first task and ends soon after the last, so an idle fabric has no
 * thread. In virtual time the thread that advances the clock runs them.
 * <p>
 * Guarded by the fabric's lock, which tasks are run under.
 */
final class FabricTimer {

	private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	private final FabricLock lock;

	private final Condition changed;

	private final TreeSet<Task> tasks = new TreeSet<>(
			Comparator.comparingLong((Task task) -> task.dueNanos).thenComparingLong((task) -> task.number));

	private @Nullable Thread thread;

	private boolean virtual;

	private long offsetNanos = -System.nanoTime();

	private long virtualNanos;

	private long lastNumber;

	FabricTimer(FabricLock lock) {
		this.lock = lock;
		this.changed = lock.newCondition();
	}

	boolean isVirtual() {
		return this.virtual;
	}

	int pendingTasks() {
		return this.tasks.size();
	}

	/**
	 * Return the time since the fabric was created, in nanoseconds.
	 * @return the time
	 */
	long now() {
		return this.virtual ? this.virtualNanos : System.nanoTime() + this.offsetNanos;
	}

	Task schedule(long delayNanos, Runnable action) {
		this.lastNumber++;
		Task task = new Task(now() + delayNanos, this.lastNumber, action);
		this.tasks.add(task);
		wakeThread();
		return task;
	}

	void cancel(@Nullable Task task) {
		if (task != null) {
			this.tasks.remove(task);
		}
	}

	void useVirtualTime() {
		this.virtualNanos = now();
		this.virtual = true;
		this.changed.signalAll();
	}

	void useRealTime() {
		this.offsetNanos = this.virtualNanos - System.nanoTime();
		this.virtual = false;
		if (!this.tasks.isEmpty()) {
			wakeThread();
		}
	}

	void advance(long nanos) {
		long end = this.virtualNanos + nanos;
		while (!this.tasks.isEmpty() && this.tasks.first().dueNanos <= end) {
			Task task = this.tasks.first();
			this.tasks.remove(task);
			this.virtualNanos = Math.max(this.virtualNanos, task.dueNanos);
			task.action.run();
		}
		this.virtualNanos = end;
	}

	private void wakeThread() {
		if (this.virtual) {
			return;
		}
		if (this.thread == null) {
			this.thread = new Thread(this::runTasks, "rdma-loopback-timer");
			this.thread.setDaemon(true);
			this.thread.start();
		}
		else {
			this.changed.signalAll();
		}
	}

	private void runTasks() {
		try (FabricLock ignored = this.lock.hold()) {
			long idleSince = now();
			while (!this.virtual) {
				boolean idle = this.tasks.isEmpty();
				long wait = (idle ? idleSince + LINGER_NANOS : this.tasks.first().dueNanos) - now();
				if (wait > 0) {
					try {
						this.changed.awaitNanos(wait);
					}
					catch (InterruptedException ex) {
						// The thread belongs to this class alone: an interrupt has no
						// meaning, and the loop looks at the clock again.
						Thread.interrupted();
					}
				}
				else if (idle) {
					break;
				}
				else {
					Task first = this.tasks.first();
					this.tasks.remove(first);
					first.action.run();
					idleSince = now();
				}
			}
			this.thread = null;
		}
	}

	/**
	 * Something that is due at a time.
	 */
	static final class Task {

		private final long dueNanos;

		private final long number;

		private final Runnable action;

		private Task(long dueNanos, long number, Runnable action) {
			this.dueNanos = dueNanos;
			this.number = number;
			this.action = action;
		}

	}

}
