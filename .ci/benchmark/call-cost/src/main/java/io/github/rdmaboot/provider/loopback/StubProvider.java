package io.github.rdmaboot.provider.loopback;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

import io.github.rdmaboot.provider.CreatedQueuePair;
import io.github.rdmaboot.provider.DeviceDescription;
import io.github.rdmaboot.provider.MemoryRegionData;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.provider.jna.StubDevice;

/**
 * Connects like the loopback, but posts and polls by native calls, to the device of the
 * stub library. Two providers make a pair, of one connection; completions can be polled
 * for only.
 */
public final class StubProvider extends LoopbackCmProvider {

	private final StubDevice device = new StubDevice();

	private final Addresses queues = new Addresses();

	private final Addresses queuePairs = new Addresses();

	/**
	 * Create a provider.
	 * @param fabric the loopback over which connections are made
	 */
	public StubProvider(LoopbackFabric fabric) {
		super(fabric);
	}

	@Override
	public String name() {
		return "stub";
	}

	@Override
	public List<DeviceDescription> describeDevices() {
		return List.of();
	}

	@Override
	public boolean awaitCqEvent(long completionChannel, long waker, int timeoutMillis) {
		throw new UnsupportedOperationException("The device of the stub library raises no events");
	}

	@Override
	public void pinThread(int cpu) {
	}

	@Override
	public MemoryRegionData ibvRegMr(long pd, ByteBuffer memory, int accessFlags) {
		MemoryRegionData data = super.ibvRegMr(pd, memory, accessFlags);
		return new MemoryRegionData(data.mr(), this.device.address(memory), data.length(), data.lkey(), data.rkey());
	}

	@Override
	public long ibvCreateCq(long context, int entries, long completionChannel, int completionVector) {
		long handle = super.ibvCreateCq(context, entries, completionChannel, completionVector);
		this.queues.put(handle, this.device.createCompletionQueue());
		return handle;
	}

	@Override
	public CreatedQueuePair rdmaCreateQp(long id, long pd, QueuePairInit init) {
		CreatedQueuePair created = super.rdmaCreateQp(id, pd, init);
		this.queuePairs.put(created.qp(), this.device.createQueuePair(this.queues.get(init.sendCq()),
				this.queues.get(init.recvCq()), created.qpNum()));
		return created;
	}

	@Override
	public int ibvPostSend(long qp, SendWorkRequest first) {
		return this.device.postSend(this.queuePairs.get(qp), first);
	}

	@Override
	public int ibvPostRecv(long qp, ReceiveWorkRequest first) {
		return this.device.postRecv(this.queuePairs.get(qp), first);
	}

	@Override
	public int ibvPollCq(long cq, WorkCompletion[] completions) {
		return this.device.pollCq(this.queues.get(cq), completions);
	}

	/**
	 * Few addresses by the loopback's handles, found without an allocation.
	 */
	private static final class Addresses {

		private volatile long[] entries = {};

		private synchronized void put(long handle, long address) {
			long[] entries = Arrays.copyOf(this.entries, this.entries.length + 2);
			entries[entries.length - 2] = handle;
			entries[entries.length - 1] = address;
			this.entries = entries;
		}

		private long get(long handle) {
			long[] entries = this.entries;
			for (int i = 0; i < entries.length; i += 2) {
				if (entries[i] == handle) {
					return entries[i + 1];
				}
			}
			throw new IllegalArgumentException("There is no object with the handle " + handle);
		}

	}

}
