package io.github.rdmaboot.verbs;

import java.util.HashMap;
import java.util.Map;

import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;

/**
 * The devices in use by one registry of endpoints, each opened with its first lease and
 * freed with its last. The map and the counts are guarded by this object; freeing happens
 * outside, so one that is stuck stops nobody else.
 */
public final class Devices {

	private final RdmaProvider provider;

	private final String threadPrefix;

	private final Map<Long, Counted> devices = new HashMap<>();

	/**
	 * Create the registry of devices.
	 * @param provider the provider
	 * @param threadPrefix the beginning of the names of the completion threads
	 */
	public Devices(RdmaProvider provider, String threadPrefix) {
		this.provider = provider;
		this.threadPrefix = threadPrefix;
	}

	/**
	 * Take a lease of a device.
	 * @param context the device context
	 * @return the lease, to be released once
	 * @throws RdmaException if the protection domain or the completion channel cannot be
	 * created
	 */
	public synchronized DeviceLease acquire(long context) {
		Counted counted = this.devices.get(context);
		if (counted == null) {
			counted = new Counted(Device.open(this.provider, context, this.threadPrefix));
			this.devices.put(context, counted);
		}
		counted.leases++;
		return new DeviceLease(this, counted.device);
	}

	void release(Device device) {
		synchronized (this) {
			Counted counted = this.devices.get(device.context());
			if (counted == null || counted.device != device) {
				throw new IllegalStateException("The device is not in use");
			}
			if (--counted.leases > 0) {
				return;
			}
			this.devices.remove(device.context());
		}
		device.close();
	}

	private static final class Counted {

		private final Device device;

		private int leases;

		private Counted(Device device) {
			this.device = device;
		}

	}

}
