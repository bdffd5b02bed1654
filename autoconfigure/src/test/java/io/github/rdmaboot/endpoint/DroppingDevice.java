package io.github.rdmaboot.endpoint;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.github.rdmaboot.provider.CreatedQueuePair;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.WorkCompletion;

/**
 * Provider whose device does with one completion queue what the library of mlx5 does:
 * with a queue pair go those of its completions that nobody has read. Completions can be
 * held back from events, and hidden from the next polls as if they came later.
 */
final class DroppingDevice {

	private final RdmaProvider target;

	private final int entries;

	private final Map<Long, Integer> numbers = new ConcurrentHashMap<>();

	private final Queue<WorkCompletion> kept = new ArrayDeque<>();

	private final AtomicInteger hidingPolls = new AtomicInteger();

	private final AtomicInteger receives = new AtomicInteger();

	private volatile long queue;

	private volatile boolean silent;

	// The queue is the one that is made with so many entries.
	DroppingDevice(RdmaProvider target, int entries) {
		this.target = target;
		this.entries = entries;
	}

	RdmaProvider provider() {
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, (proxy, method, arguments) -> switch (method.getName()) {
					case "ibvCreateCq" -> createQueue(method, arguments);
					case "rdmaCreateQp" -> createQueuePair(method, arguments);
					case "rdmaDestroyQp" -> destroyQueuePair(method, arguments);
					case "ibvPollCq" -> ((long) arguments[0] == this.queue) ? poll((WorkCompletion[]) arguments[1])
							: call(method, arguments);
					case "awaitCqEvent" -> this.silent ? hearNothing() : call(method, arguments);
					case "ibvPostSrqRecv" -> {
						this.receives.incrementAndGet();
						yield call(method, arguments);
					}
					default -> call(method, arguments);
				});
	}

	// Let no event be heard of from now on, or again.
	void beSilent(boolean silent) {
		this.silent = silent;
	}

	// Let so many polls of the queue find nothing.
	void hideFrom(int polls) {
		this.hidingPolls.set(polls);
	}

	// How many receives were posted to shared queues.
	int receives() {
		return this.receives.get();
	}

	private Object call(Method method, Object[] arguments) throws Throwable {
		try {
			return method.invoke(this.target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private Object createQueue(Method method, Object[] arguments) throws Throwable {
		Object handle = call(method, arguments);
		if ((int) arguments[1] == this.entries) {
			this.queue = (long) handle;
		}
		return handle;
	}

	private Object createQueuePair(Method method, Object[] arguments) throws Throwable {
		CreatedQueuePair created = (CreatedQueuePair) call(method, arguments);
		this.numbers.put((long) arguments[0], created.qpNum());
		return created;
	}

	private synchronized Object destroyQueuePair(Method method, Object[] arguments) throws Throwable {
		Object result = call(method, arguments);
		int number = this.numbers.get((long) arguments[0]);
		WorkCompletion[] one = { new WorkCompletion() };
		while (this.target.ibvPollCq(this.queue, one) > 0) {
			this.kept.add(one[0]);
			one[0] = new WorkCompletion();
		}
		this.kept.removeIf((completion) -> completion.qpNum == number);
		return result;
	}

	private synchronized int poll(WorkCompletion[] completions) {
		if (this.hidingPolls.get() > 0) {
			this.hidingPolls.decrementAndGet();
			return 0;
		}
		WorkCompletion first = this.kept.poll();
		if (first == null) {
			return this.target.ibvPollCq(this.queue, completions);
		}
		completions[0] = first;
		return 1;
	}

	private static boolean hearNothing() {
		LockSupport.parkNanos(1_000_000);
		return false;
	}

}
