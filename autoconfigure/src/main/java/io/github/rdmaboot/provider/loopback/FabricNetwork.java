package io.github.rdmaboot.provider.loopback;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Network of a fabric: takes messages from one address to another unless it was told to
 * lose them, at once unless it was told to be slow. Guarded by the fabric's lock.
 */
final class FabricNetwork {

	private final FabricTimer timer;

	private final Set<InetAddress> silent = new HashSet<>();

	private final Set<InetAddress> unresolvable = new HashSet<>();

	private final Set<Link> cut = new HashSet<>();

	private final Map<Link, Long> delays = new HashMap<>();

	private final Map<Link, Integer> losses = new HashMap<>();

	FabricNetwork(FabricTimer timer) {
		this.timer = timer;
	}

	/**
	 * Send a message.
	 * @param from the sender or {@code null} when it is not known
	 * @param to the receiver or {@code null} when it is not known
	 * @param delivery what happens at the receiver
	 */
	void send(@Nullable InetAddress from, @Nullable InetAddress to, Runnable delivery) {
		if (!passes(from, to)) {
			return;
		}
		long delay = delay(from, to);
		if (delay == 0) {
			delivery.run();
		}
		else {
			this.timer.schedule(delay, delivery);
		}
	}

	/**
	 * Tell whether one message gets through, which uses up a loss that was asked for.
	 * @param from the sender or {@code null} when it is not known
	 * @param to the receiver or {@code null} when it is not known
	 * @return whether it gets through
	 */
	boolean passes(@Nullable InetAddress from, @Nullable InetAddress to) {
		if (this.silent.contains(from) || this.silent.contains(to)) {
			return false;
		}
		if (from == null || to == null || (this.cut.isEmpty() && this.losses.isEmpty())) {
			return true;
		}
		Link link = new Link(from, to);
		if (this.cut.contains(link)) {
			return false;
		}
		Integer losses = this.losses.get(link);
		if (losses == null) {
			return true;
		}
		if (losses == 1) {
			this.losses.remove(link);
		}
		else {
			this.losses.put(link, losses - 1);
		}
		return false;
	}

	long delay(@Nullable InetAddress from, @Nullable InetAddress to) {
		if (this.delays.isEmpty() || from == null || to == null) {
			return 0;
		}
		return this.delays.getOrDefault(new Link(from, to), 0L);
	}

	/**
	 * Tell whether neighbour discovery finds an address. A silent host still answers it.
	 * @param from the address that asks
	 * @param to the address that is looked for
	 * @return whether it answers
	 */
	boolean answersNeighbourDiscovery(InetAddress from, InetAddress to) {
		return !this.unresolvable.contains(to) && !this.cut.contains(new Link(from, to));
	}

	void setSilent(InetAddress address) {
		this.silent.add(address);
	}

	void setUnresolvable(InetAddress address) {
		this.unresolvable.add(address);
	}

	void cut(InetAddress from, InetAddress to) {
		this.cut.add(new Link(from, to));
		this.cut.add(new Link(to, from));
	}

	void setDelay(InetAddress from, InetAddress to, long nanos) {
		this.delays.put(new Link(from, to), nanos);
	}

	void setLosses(InetAddress from, InetAddress to, int messages) {
		this.losses.put(new Link(from, to), messages);
	}

	void heal() {
		this.silent.clear();
		this.unresolvable.clear();
		this.cut.clear();
		this.delays.clear();
		this.losses.clear();
	}

	private record Link(InetAddress from, InetAddress to) {

	}

}
