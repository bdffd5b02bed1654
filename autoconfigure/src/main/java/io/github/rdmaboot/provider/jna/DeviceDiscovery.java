package io.github.rdmaboot.provider.jna;

import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has one thread of the process see each device first, before any call in which librdmacm
 * looks for new ones.
 * <p>
 * librdmacm keeps its devices in the order of their addresses in memory, and in rdma-core
 * 44 compares two by their difference, cut to 32 bits. Devices that threads with
 * different arenas of malloc saw first are too far apart for that. It then takes devices
 * that are there for removed, so that they are not found any more; where none is left in
 * its list, the next call locks its mutex twice, and whatever needs the mutex blocks
 * until the process ends. Seen first by one thread, they lie close together.
 * <p>
 * Safe for all threads. Lock: {@code lock}, held while the thread of the devices looks at
 * them; it guards {@code pending}; {@code seen} is written under it and read without.
 */
final class DeviceDiscovery {

	private static final Logger logger = LoggerFactory.getLogger(DeviceDiscovery.class);

	// Never ends: another thread might get another arena.
	private static final ExecutorService thread = Executors.newSingleThreadExecutor((task) -> {
		Thread thread = new Thread(task, "rdma-devices");
		thread.setDaemon(true);
		thread.setContextClassLoader(DeviceDiscovery.class.getClassLoader());
		return thread;
	});

	private final ReentrantLock lock = new ReentrantLock();

	private final Supplier<Set<String>> devices;

	private final Runnable look;

	private final long patienceMillis;

	private volatile @Nullable Set<String> seen;

	private @Nullable Future<?> pending;

	/**
	 * Create the discovery.
	 * @param devices the devices that there are now, which tells one that came back from
	 * the one before
	 * @param look has libibverbs look at the devices
	 * @param patienceMillis for how long a caller waits for that at most
	 */
	DeviceDiscovery(Supplier<Set<String>> devices, Runnable look, long patienceMillis) {
		this.devices = devices;
		this.look = look;
		this.patienceMillis = patienceMillis;
	}

	/**
	 * Return when the thread of the devices has seen those that there are. Waits for it
	 * only if there are others than at the last call.
	 */
	void seeDevices() {
		Set<String> present = present();
		if (present == null || present.equals(this.seen)) {
			return;
		}
		this.lock.lock();
		try {
			Future<?> pending = this.pending;
			// One that is stuck is waited for once, by the first that asked for it.
			if (!present.equals(this.seen) && (pending == null || pending.isDone())) {
				Future<?> looked = thread.submit(this.look);
				this.pending = looked;
				if (await(looked)) {
					this.seen = present;
				}
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private @Nullable Set<String> present() {
		try {
			return this.devices.get();
		}
		catch (RuntimeException ex) {
			// No more files can be opened, for instance, which the call will say itself.
			logger.debug("Could not list the devices", ex);
			return null;
		}
	}

	// A look that fails or takes too long is no reason not to make the call: most often
	// the devices are in order without it. The next call repeats it.
	private boolean await(Future<?> looked) {
		boolean interrupted = false;
		long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(this.patienceMillis);
		try {
			while (true) {
				try {
					looked.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
					return true;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (ExecutionException ex) {
			logger.debug("Could not look at the devices", ex.getCause());
			return false;
		}
		catch (TimeoutException ex) {
			logger.warn("Looking at the RDMA devices (ibv_get_device_list) takes more than {} ms", this.patienceMillis);
			return false;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
