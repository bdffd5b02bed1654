package io.github.rdmaboot.verbs;

import java.util.concurrent.atomic.AtomicBoolean;

import io.github.rdmaboot.provider.RdmaException;

/**
 * Lease of a device, held as long as a connection has objects on it.
 */
public final class DeviceLease {

	private final Devices devices;

	private final Device device;

	private final AtomicBoolean released = new AtomicBoolean();

	DeviceLease(Devices devices, Device device) {
		this.devices = devices;
		this.device = device;
	}

	/**
	 * Return the device.
	 * @return the device
	 */
	public Device device() {
		return this.device;
	}

	/**
	 * Give the device back; the last lease frees its completion channel and protection
	 * domain. Does nothing the second time.
	 * @throws RdmaException on EBUSY while something uses them
	 */
	public void release() {
		if (this.released.compareAndSet(false, true)) {
			this.devices.release(this.device);
		}
	}

}
