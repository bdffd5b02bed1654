package io.github.rdmaboot.verbs;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;

/**
 * The devices in use by one registry of endpoints, each opened with its first lease and
 * freed with its last. The map and the counts are guarded by this object; freeing happens
 * outside, so one that is stuck stops nobody else.
 */
public final class Devices {

	private final RdmaProvider provider;

	private final String threadPrefix;

	private final MemoryPoolLimits memory;

	private final Map<Long, Shared> devices = new HashMap<>();

	/**
	 * Create the registry of devices.
	 * @param provider the provider
	 * @param threadPrefix the beginning of the names of the completion threads
	 * @param memory the limits of the registered memory of each device
	 */
	public Devices(RdmaProvider provider, String threadPrefix, MemoryPoolLimits memory) {
		this.provider = provider;
		this.threadPrefix = threadPrefix;
		this.memory = memory;
	}

	/**
	 * Take a lease of a device.
	 * @param context the device context
	 * @return the lease, to be released once
	 * @throws RdmaException if the protection domain cannot be created
	 */
	public DeviceLease acquire(long context) {
		Shared shared;
		synchronized (this) {
			shared = this.devices.computeIfAbsent(context, (key) -> new Shared());
			shared.leases++;
		}
		try {
			return new DeviceLease(this, shared.open(this.provider, context, this.threadPrefix, this.memory));
		}
		catch (RuntimeException | Error ex) {
			giveUp(context, shared);
			throw ex;
		}
	}

	/**
	 * Check that threads may be pinned to a CPU, by pinning one that ends then; stands
	 * for {@code sched_setaffinity}.
	 * @param cpu the CPU, from 0
	 * @throws RdmaException on EINVAL when there is no such CPU or the process may not
	 * use it, on EINTR when the calling thread is interrupted meanwhile
	 */
	public void requireCpu(int cpu) {
		FutureTask<@Nullable Void> check = new FutureTask<>(() -> this.provider.pinThread(cpu), null);
		Thread thread = new Thread(check, this.threadPrefix + "-cpu-check");
		thread.setDaemon(true);
		thread.start();
		try {
			check.get();
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof RdmaException failure) ? failure
					: new IllegalStateException("CPU " + cpu + " could not be checked", ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RdmaException("sched_setaffinity", Errno.EINTR.value(),
					"The check of CPU " + cpu + " was interrupted (EINTR)");
		}
	}

	/**
	 * End the threads of devices that were never released because a call on them is
	 * stuck. The native objects are left to the end of the process.
	 */
	public void abandon() {
		List<Shared> left;
		synchronized (this) {
			left = List.copyOf(this.devices.values());
		}
		left.forEach(Shared::abandon);
	}

	/**
	 * Return how much memory the pools of the devices have registered.
	 * @return the size in bytes, in use or not
	 */
	public long pooledBytes() {
		List<Shared> shared;
		synchronized (this) {
			shared = List.copyOf(this.devices.values());
		}
		return shared.stream().mapToLong(Shared::pooledBytes).sum();
	}

	void release(Device device) {
		Shared shared;
		synchronized (this) {
			shared = this.devices.get(device.context());
		}
		if (shared == null || shared.device != device) {
			throw new IllegalStateException("The device is not in use");
		}
		if (giveUp(device.context(), shared)) {
			device.close();
		}
	}

	private synchronized boolean giveUp(long context, Shared shared) {
		shared.leases--;
		if (shared.leases > 0) {
			return false;
		}
		this.devices.remove(context, shared);
		return true;
	}

	/**
	 * Device with the count of its leases, opened by the first that needs it while the
	 * others wait.
	 */
	private static final class Shared {

		private volatile @Nullable Device device;

		private int leases;

		private void abandon() {
			Device device = this.device;
			if (device != null) {
				device.endThreads();
			}
		}

		private long pooledBytes() {
			Device device = this.device;
			return (device != null) ? device.memoryPool().registered() : 0;
		}

		private synchronized Device open(RdmaProvider provider, long context, String threadPrefix,
				MemoryPoolLimits memory) {
			Device device = this.device;
			if (device == null) {
				device = Device.open(provider, context, threadPrefix, memory);
				this.device = device;
			}
			return device;
		}

	}

}
