package io.github.rdmaboot.verbs;

import java.time.Duration;
import java.util.List;

import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;

/**
 * Device as the endpoints of one registry share it: a protection domain of their own and
 * a completion channel. Obtained from {@link Devices}.
 */
public final class Device {

	private static final Duration THREAD_END_TIMEOUT = Duration.ofSeconds(2);

	private final RdmaProvider provider;

	private final long context;

	private final long pd;

	private final CompletionChannel completionChannel;

	private final MemoryPool memoryPool;

	private Device(RdmaProvider provider, long context, long pd, CompletionChannel completionChannel,
			MemoryPool memoryPool) {
		this.provider = provider;
		this.context = context;
		this.pd = pd;
		this.completionChannel = completionChannel;
		this.memoryPool = memoryPool;
	}

	static Device open(RdmaProvider provider, long context, String threadPrefix, MemoryPoolLimits memory) {
		long pd = provider.ibvAllocPd(context);
		try {
			String threadName = threadPrefix + "-cq-" + provider.ibvGetDeviceName(provider.deviceOf(context));
			return new Device(provider, context, pd, CompletionChannel.open(provider, context, threadName),
					new MemoryPool(provider, pd, memory));
		}
		catch (RuntimeException ex) {
			provider.ibvDeallocPd(pd);
			throw ex;
		}
	}

	RdmaProvider provider() {
		return this.provider;
	}

	long context() {
		return this.context;
	}

	CompletionChannel completionChannel() {
		return this.completionChannel;
	}

	long pd() {
		return this.pd;
	}

	/**
	 * Return the registered memory of the protection domain.
	 * @return the pool
	 */
	public MemoryPool memoryPool() {
		return this.memoryPool;
	}

	/**
	 * Free the completion channel, the memory and the protection domain, each also if
	 * another fails.
	 * @throws RdmaException on EBUSY while something uses them
	 */
	void close() {
		List<Runnable> calls = List.of(() -> this.completionChannel.close(THREAD_END_TIMEOUT), this.memoryPool::close,
				() -> this.provider.ibvDeallocPd(this.pd));
		RuntimeException failure = null;
		for (Runnable call : calls) {
			try {
				call.run();
			}
			catch (RuntimeException ex) {
				if (failure == null) {
					failure = ex;
				}
				else {
					failure.addSuppressed(ex);
				}
			}
		}
		if (failure != null) {
			throw failure;
		}
	}

}
