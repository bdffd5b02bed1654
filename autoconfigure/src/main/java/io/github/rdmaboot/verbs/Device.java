package io.github.rdmaboot.verbs;

import java.time.Duration;

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

	private Device(RdmaProvider provider, long context, long pd, CompletionChannel completionChannel) {
		this.provider = provider;
		this.context = context;
		this.pd = pd;
		this.completionChannel = completionChannel;
	}

	static Device open(RdmaProvider provider, long context, String threadPrefix) {
		long pd = provider.ibvAllocPd(context);
		try {
			String threadName = threadPrefix + "-cq-" + provider.ibvGetDeviceName(provider.deviceOf(context));
			return new Device(provider, context, pd, CompletionChannel.open(provider, context, threadName));
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
	 * Free the completion channel and the protection domain, the second also if the first
	 * fails.
	 * @throws RdmaException on EBUSY while something uses them
	 */
	void close() {
		RuntimeException failure = null;
		try {
			this.completionChannel.close(THREAD_END_TIMEOUT);
		}
		catch (RuntimeException ex) {
			failure = ex;
		}
		try {
			this.provider.ibvDeallocPd(this.pd);
		}
		catch (RuntimeException ex) {
			if (failure != null) {
				ex.addSuppressed(failure);
			}
			throw ex;
		}
		if (failure != null) {
			throw failure;
		}
	}

}
