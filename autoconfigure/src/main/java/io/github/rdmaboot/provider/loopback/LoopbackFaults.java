package io.github.rdmaboot.provider.loopback;

import java.net.InetAddress;
import java.time.Duration;

/**
 * Steers what goes wrong on a fabric. Faults hold until {@link #heal()}; they concern
 * what is sent after the call. May be used by any thread.
 */
public final class LoopbackFaults {

	private final LoopbackFabric fabric;

	LoopbackFaults(LoopbackFabric fabric) {
		this.fabric = fabric;
	}

	/**
	 * Let a host fall silent as if its power failed: its address still resolves, but it
	 * neither receives nor sends anything.
	 * @param address the host's address
	 */
	public void silence(InetAddress address) {
		try (FabricLock ignored = this.fabric.lock().hold()) {
			this.fabric.network().setSilent(FabricAddresses.withoutScope(address));
		}
	}

	/**
	 * Let neighbour discovery for an address go unanswered.
	 * @param address the address
	 */
	public void hideNeighbour(InetAddress address) {
		try (FabricLock ignored = this.fabric.lock().hold()) {
			this.fabric.network().setUnresolvable(FabricAddresses.withoutScope(address));
		}
	}

	/**
	 * Cut the network between two addresses, both ways.
	 * @param one the one address
	 * @param other the other address
	 */
	public void partition(InetAddress one, InetAddress other) {
		try (FabricLock ignored = this.fabric.lock().hold()) {
			this.fabric.network().cut(FabricAddresses.withoutScope(one), FabricAddresses.withoutScope(other));
		}
	}

	/**
	 * Delay everything from one address to another.
	 * @param from the sender
	 * @param to the receiver
	 * @param delay for how long, not negative
	 */
	public void delay(InetAddress from, InetAddress to, Duration delay) {
		if (delay.isNegative()) {
			throw new IllegalArgumentException("The delay " + delay + " is negative");
		}
		try (FabricLock ignored = this.fabric.lock().hold()) {
			this.fabric.network()
				.setDelay(FabricAddresses.withoutScope(from), FabricAddresses.withoutScope(to), delay.toNanos());
		}
	}

	/**
	 * Lose the next messages from one address to another.
	 * @param from the sender
	 * @param to the receiver
	 * @param messages how many, from 1
	 */
	public void lose(InetAddress from, InetAddress to, int messages) {
		if (messages < 1) {
			throw new IllegalArgumentException("The number of messages to lose is " + messages + " but must be from 1");
		}
		try (FabricLock ignored = this.fabric.lock().hold()) {
			this.fabric.network()
				.setLosses(FabricAddresses.withoutScope(from), FabricAddresses.withoutScope(to), messages);
		}
	}

	/**
	 * End all faults of the network.
	 */
	public void heal() {
		try (FabricLock ignored = this.fabric.lock().hold()) {
			this.fabric.network().heal();
		}
	}

	/**
	 * Remove the device: ids that are bound to it get {@code DEVICE_REMOVAL} and refuse
	 * further calls, work requests are flushed, and no new id finds a device.
	 */
	public void removeDevice() {
		try (FabricLock ignored = this.fabric.lock().hold()) {
			this.fabric.removeDevice();
		}
	}

	/**
	 * Put the device back for new ids.
	 */
	public void insertDevice() {
		try (FabricLock ignored = this.fabric.lock().hold()) {
			this.fabric.insertDevice();
		}
	}

}
