package io.github.rdmaboot.verbs;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;

import io.github.rdmaboot.provider.PortAttributes;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.TransportType;

/**
 * Device as the endpoints of one registry share it: a protection domain of their own and
 * what takes completions, made for each policy when the first queue needs it. Obtained
 * from {@link Devices}. The monitor of this object is held while one is made.
 */
public final class Device {

	private static final Duration THREAD_END_TIMEOUT = Duration.ofSeconds(2);

	private final RdmaProvider provider;

	private final long context;

	private final long pd;

	private final String threadName;

	private final boolean immediateData;

	private final MemoryPool memoryPool;

	private final Map<Integer, Long> maxMessageSizes = new ConcurrentHashMap<>();

	private final Map<CompletionPolicy, CompletionPoller> pollers = new ConcurrentHashMap<>();

	private Device(RdmaProvider provider, long context, long pd, String threadName, boolean immediateData,
			MemoryPool memoryPool) {
		this.provider = provider;
		this.context = context;
		this.pd = pd;
		this.threadName = threadName;
		this.immediateData = immediateData;
		this.memoryPool = memoryPool;
	}

	static Device open(RdmaProvider provider, long context, String threadPrefix, MemoryPoolLimits memory) {
		long device = provider.deviceOf(context);
		String threadName = threadPrefix + "-cq-" + provider.ibvGetDeviceName(device);
		boolean immediateData = provider.transportTypeOf(device) != TransportType.IWARP.value();
		long pd = provider.ibvAllocPd(context);
		return new Device(provider, context, pd, threadName, immediateData, new MemoryPool(provider, pd, memory));
	}

	RdmaProvider provider() {
		return this.provider;
	}

	long context() {
		return this.context;
	}

	long pd() {
		return this.pd;
	}

	synchronized CompletionPoller poller(CompletionPolicy policy) {
		CompletionPoller poller = this.pollers.get(policy);
		if (poller == null) {
			ThreadFactory threads = CompletionThread.factory(this.provider, this.threadName + policy.suffix(),
					policy.cpu());
			poller = (policy.mode() == CompletionMode.POLL) ? new BusyPoller(this.provider, threads)
					: CompletionChannel.open(this.provider, this.context, policy.spinTime(), threads);
			this.pollers.put(policy, poller);
		}
		return poller;
	}

	/**
	 * Return whether messages and writes can carry immediate data, which iWARP does not
	 * know.
	 * @return whether they can
	 */
	public boolean hasImmediateData() {
		return this.immediateData;
	}

	// End the threads within a tick.
	void endThreads() {
		this.pollers.values().forEach(CompletionPoller::end);
	}

	/**
	 * Return the state of a port; stands for {@code ibv_query_port}.
	 * @param port the port from 1
	 * @return the port's state
	 * @throws RdmaException on EINVAL
	 */
	public PortAttributes queryPort(int port) {
		return this.provider.ibvQueryPort(this.context, port);
	}

	/**
	 * Return the size of the largest message of a port; stands for {@code ibv_query_port}
	 * the first time.
	 * @param port the port from 1
	 * @return the size in bytes
	 * @throws RdmaException on EINVAL
	 */
	public long maxMessageSize(int port) {
		Long known = this.maxMessageSizes.get(port);
		if (known == null) {
			known = Integer.toUnsignedLong(queryPort(port).maxMessageSize());
			this.maxMessageSizes.put(port, known);
		}
		return known;
	}

	/**
	 * Return an entry of a port's GID table; stands for {@code ibv_query_gid}.
	 * @param port the port from 1
	 * @param index the index from 0
	 * @return the 16 bytes of the GID
	 * @throws RdmaException on EINVAL, ENODATA for an empty entry
	 */
	public byte[] queryGid(int port, int index) {
		return this.provider.ibvQueryGid(this.context, port, index);
	}

	/**
	 * Return the registered memory of the protection domain.
	 * @return the pool
	 */
	public MemoryPool memoryPool() {
		return this.memoryPool;
	}

	/**
	 * Free what takes completions, the memory and the protection domain, each also if
	 * another fails. The threads are waited for together.
	 * @throws RdmaException on EBUSY while something uses them
	 */
	void close() {
		EachCall calls = new EachCall();
		endThreads();
		long end = System.nanoTime() + THREAD_END_TIMEOUT.toNanos();
		this.pollers.values()
			.forEach((poller) -> calls.run(() -> poller.close(Duration.ofNanos(Math.max(0, end - System.nanoTime())))));
		calls.run(this.memoryPool::close);
		calls.run(() -> this.provider.ibvDeallocPd(this.pd));
		calls.throwFirst();
	}

}
