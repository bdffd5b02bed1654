package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.util.concurrent.Executor;

import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.LinkLayer;
import io.github.rdmaboot.provider.PortAttributes;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.verbs.CompletionQueue;
import io.github.rdmaboot.verbs.DeviceLease;
import io.github.rdmaboot.verbs.Devices;
import io.github.rdmaboot.verbs.MemoryBlock;
import io.github.rdmaboot.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/**
 * Verbs objects of a datagram endpoint, made in the order in which they depend on each
 * other and freed in the opposite one. What could not be made stays {@code null} and is
 * passed over when freeing. Made and freed by one thread at a time, which the endpoint
 * sees to.
 */
final class DatagramResources {

	/** The smallest MTU, which is 0 as {@code enum ibv_mtu} less one, is 256. */
	private static final int MTU_SHIFT = 7;

	private static final String PROPERTY = "memory.buffer-count";

	private final RdmaDatagramEndpoint endpoint;

	private final OutstandingRequests outstanding = new OutstandingRequests();

	private volatile @Nullable DeviceLease device;

	private volatile @Nullable MemoryBlock memory;

	private volatile boolean queuePairDestroyed;

	private final QueuePairResources queues = new QueuePairResources();

	private volatile @Nullable AddressHandles addressHandles;

	private volatile @Nullable DatagramSender sender;

	private volatile @Nullable DatagramReceiver receiver;

	private volatile int mtu;

	DatagramResources(RdmaDatagramEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	// Make all objects and post the receives. Stops before the next native call when the
	// endpoint is being destroyed meanwhile.
	void create(OwnedCmId id, InetAddress local, Devices devices, SetupGate gate, Executor executor) {
		DatagramSettings settings = this.endpoint.settings();
		int count = settings.bufferCount();
		DeviceLease device = devices.acquire(id.deviceContext());
		this.device = device;
		gate.requireOpen();
		int portNum = id.portNum();
		PortAttributes port = device.device().queryPort(portNum);
		byte[] localGid = (port.linkLayer() == LinkLayer.INFINIBAND.value()) ? device.device().queryGid(portNum, 0)
				: RoutingHeader.gid(local);
		DatagramSlots layout = new DatagramSlots(count, 1 << (port.activeMtu() + MTU_SHIFT));
		this.mtu = layout.mtu();
		gate.requireOpen();
		CompletionQueue queue = QueueRefusal.explaining(() -> CompletionQueue.create(device.device(),
				settings.completion().policy(), 2 * count, this::onCompletion, this.endpoint::failed), 2 * count,
				PROPERTY);
		this.queues.queue(queue);
		gate.requireOpen();
		MemoryBlock memory = device.device().memoryPool().allocate(layout.bytes());
		this.memory = memory;
		this.endpoint.statistics().registered(memory.length());
		gate.requireOpen();
		QueuePair queuePair = QueueRefusal.explaining(() -> QueuePair.createDatagram(id, device.device(), queue,
				new QueuePairCapabilities(count, count, 1, 1, 0)), count, PROPERTY);
		this.queues.queuePair(queuePair);
		gate.requireOpen();
		DatagramSenders senders = new DatagramSenders(this.endpoint, memory.memory(), localGid, portNum,
				queuePair.queryQkey(), settings.maxPeers());
		AddressHandles addressHandles = new AddressHandles(device.device(), settings.maxPeers());
		this.addressHandles = addressHandles;
		DatagramReceiver receiver = new DatagramReceiver(this.endpoint, memory, layout, queuePair, senders,
				this.outstanding, executor, () -> release(memory));
		this.sender = new DatagramSender(memory, layout, count, queuePair, addressHandles, this.outstanding,
				this.endpoint.statistics(), executor);
		this.receiver = receiver;
		gate.requireOpen();
		receiver.postAll();
	}

	int mtu() {
		return this.mtu;
	}

	int qpNum() {
		QueuePair queuePair = this.queues.queuePair();
		return (queuePair != null) ? queuePair.qpNum() : 0;
	}

	int addressHandles() {
		AddressHandles addressHandles = this.addressHandles;
		return (addressHandles != null) ? addressHandles.count() : 0;
	}

	@Nullable DatagramSender sender() {
		return this.sender;
	}

	void serve() {
		DatagramReceiver receiver = this.receiver;
		if (receiver != null) {
			receiver.serve();
		}
	}

	private void onCompletion(WorkCompletion completion) {
		boolean send = (completion.wrId & DatagramSender.WR_ID_SENDS) != 0;
		RuntimeException error = (completion.status == 0) ? null : error(completion, send);
		DatagramSender sender = this.sender;
		DatagramReceiver receiver = this.receiver;
		if (send && sender != null) {
			sender.completed((int) completion.wrId, error);
		}
		else if (!send && receiver != null && error == null) {
			receiver.received(completion);
		}
		else if (!send && receiver != null) {
			receiver.failed();
		}
	}

	private RuntimeException error(WorkCompletion completion, boolean send) {
		this.endpoint.statistics().completionError(completion.status);
		if (completion.status == CompletionStatus.WR_FLUSH_ERR.value()) {
			return this.endpoint.closedException();
		}
		CompletionStatus status = CompletionStatus.of(completion.status);
		RdmaException error = new RdmaException("ibv_poll_cq", Errno.EIO.value(),
				this.endpoint + ": " + (send ? CompletionOpcode.SEND : CompletionOpcode.RECV) + " ended with "
						+ ((status != null) ? "IBV_WC_" + status : "status") + " (" + completion.status
						+ "), vendor error " + completion.vendorError + ", queue pair " + completion.qpNum);
		this.endpoint.failed(error);
		return error;
	}

	void stopPosting() {
		DatagramSender sender = this.sender;
		if (sender != null) {
			sender.close();
		}
		this.queues.closeGate();
		this.queues.notifyWhile(this.outstanding);
	}

	void flush() {
		this.queues.flush();
	}

	// Wait until every request has completed and the handler has seen what arrived.
	boolean drain(Deadline deadline) {
		DatagramReceiver receiver = this.receiver;
		return this.queues.drain(deadline, () -> receiver == null || receiver.isIdle(), this.outstanding);
	}

	void destroyQueuePair() {
		this.queues.destroyQueuePair();
		this.queuePairDestroyed = true;
	}

	void destroyAddressHandles() {
		AddressHandles addressHandles = this.addressHandles;
		if (addressHandles != null) {
			addressHandles.close();
		}
	}

	void tellWaiters(RuntimeException reason) {
		DatagramSender sender = this.sender;
		if (sender != null) {
			sender.failPending(reason);
		}
	}

	// Give the memory back when no handler reads it any more, unless the device may still
	// write into it.
	void releaseMemory() {
		MemoryBlock memory = this.memory;
		if (memory == null || !this.queuePairDestroyed) {
			return;
		}
		DatagramReceiver receiver = this.receiver;
		if (receiver != null) {
			receiver.letGoOfMemory();
		}
		else {
			release(memory);
		}
	}

	private void release(MemoryBlock memory) {
		memory.release();
		this.endpoint.statistics().deregistered(memory.length());
	}

	void destroyQueue() {
		this.queues.destroyQueue();
	}

	void releaseDevice() {
		DeviceLease device = this.device;
		if (device != null) {
			device.release();
		}
	}

}
