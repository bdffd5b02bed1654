package io.github.rdmaboot.provider.loopback;

import java.net.InetAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * In-process network with one RDMA device, {@code loop0}: what providers on the same
 * fabric share, as processes share a kernel. Objects of one provider are not visible to
 * another; ports are. May be used by any thread.
 */
public final class LoopbackFabric {

	private static final LoopbackFabric SHARED = new LoopbackFabric();

	private final FabricLock lock = new FabricLock();

	private final FabricTimer timer = new FabricTimer(this.lock);

	private final FabricNetwork network = new FabricNetwork(this.timer);

	private final FabricAddresses addresses = new FabricAddresses();

	private final PortTable ports = new PortTable();

	private final QueuePairTable queuePairs = new QueuePairTable();

	private final MemoryTable memory = new MemoryTable();

	private final MulticastGroups multicast = new MulticastGroups();

	private final Set<LoopbackProcess> processes = new LinkedHashSet<>();

	private final LoopbackFaults faults = new LoopbackFaults(this);

	private boolean devicePresent = true;

	private final boolean immediateData;

	/**
	 * Create a fabric that nothing else is connected to.
	 */
	public LoopbackFabric() {
		this(true);
	}

	private LoopbackFabric(boolean immediateData) {
		this.immediateData = immediateData;
	}

	/**
	 * Create a fabric that nothing else is connected to and whose device has no immediate
	 * data and says that it is one of iWARP, so that messages carry what credits and
	 * fragments need in front of their content. In all else it is as any other.
	 * @return the fabric
	 */
	public static LoopbackFabric withoutImmediateData() {
		return new LoopbackFabric(false);
	}

	/**
	 * Return the fabric of this JVM, on which its applications reach each other.
	 * @return the fabric
	 */
	public static LoopbackFabric shared() {
		return SHARED;
	}

	/**
	 * Return what steers the faults of this fabric.
	 * @return the faults
	 */
	public LoopbackFaults faults() {
		return this.faults;
	}

	/**
	 * Add an address to those of this host, so that ids can be bound to it and reach it.
	 * @param address the address, which need not exist
	 */
	public void addAddress(InetAddress address) {
		try (FabricLock ignored = this.lock.hold()) {
			this.addresses.add(address);
		}
	}

	/**
	 * Stop the clock of this fabric; from now on it moves only when it is advanced.
	 * @return the clock, which goes on in real time when it is closed
	 * @throws IllegalStateException when the clock is virtual already
	 */
	public VirtualClock useVirtualClock() {
		try (FabricLock ignored = this.lock.hold()) {
			if (this.timer.isVirtual()) {
				throw new IllegalStateException("The fabric has a virtual clock already: close that one first");
			}
			this.timer.useVirtualTime();
			return new VirtualClock(this.lock, this.timer);
		}
	}

	/**
	 * Count what exists on this fabric, as {@code rdma resource show} does.
	 * @return the counts
	 */
	public LoopbackResources resources() {
		try (FabricLock ignored = this.lock.hold()) {
			int handles = this.processes.stream().mapToInt((process) -> process.handles().size()).sum();
			return new LoopbackResources(handles, this.queuePairs.size(), this.memory.size(), this.ports.size(),
					this.timer.pendingTasks());
		}
	}

	FabricLock lock() {
		return this.lock;
	}

	FabricTimer timer() {
		return this.timer;
	}

	FabricNetwork network() {
		return this.network;
	}

	FabricAddresses addresses() {
		return this.addresses;
	}

	PortTable ports() {
		return this.ports;
	}

	QueuePairTable queuePairs() {
		return this.queuePairs;
	}

	MemoryTable memory() {
		return this.memory;
	}

	MulticastGroups multicast() {
		return this.multicast;
	}

	boolean isDevicePresent() {
		return this.devicePresent;
	}

	void add(LoopbackProcess process) {
		this.processes.add(process);
	}

	void remove(LoopbackProcess process) {
		this.processes.remove(process);
	}

	void removeDevice() {
		if (this.devicePresent) {
			this.devicePresent = false;
			for (LoopbackProcess process : List.copyOf(this.processes)) {
				process.loseDevice();
			}
		}
	}

	boolean hasImmediateData() {
		return this.immediateData;
	}

	void insertDevice() {
		this.devicePresent = true;
	}

}
