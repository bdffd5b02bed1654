package io.github.rdmaboot.provider.loopback;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;

import io.github.rdmaboot.provider.AccessFlag;
import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.QueuePairType;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.provider.SendFlag;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.provider.loopback.ReceiveQueue.Receive;
import org.jspecify.annotations.Nullable;

/**
 * Queue pair of the loopback. Guarded by the fabric's lock.
 */
final class LoopbackQp {

	private final LoopbackPd pd;

	private final LoopbackCq sendCq;

	private final LoopbackCq recvCq;

	private final @Nullable LoopbackSrq srq;

	private final QueuePairType type;

	private final boolean signalAll;

	private final QueuePairCapabilities capabilities;

	private final int number;

	private final ReceiveQueue receives;

	/** Sends that were posted and have not completed, in their order. */
	final Deque<PostedSend> sends = new ArrayDeque<>();

	private final Deque<PostedSend> idleSends = new ArrayDeque<>();

	/** Groups that it is attached to. */
	final Set<InetAddress> groups = new LinkedHashSet<>(0);

	/** Attributes that {@code ibv_modify_qp} and the CM set. */
	final QueuePairSettings settings = new QueuePairSettings();

	private final AckCounter asyncEvents;

	/** Handle, 0 until the table gave one. */
	long handle;

	/** Id that the queue pair belongs to. */
	@Nullable LoopbackCmId id;

	/** Receive queue of the peer in which this queue pair waits for a receive. */
	@Nullable ReceiveQueue awaited;

	FabricTimer.@Nullable Task resumption;

	private QueuePairState state = QueuePairState.RESET;

	LoopbackQp(LoopbackPd pd, LoopbackCq sendCq, LoopbackCq recvCq, @Nullable LoopbackSrq srq, QueuePairType type,
			boolean signalAll, QueuePairCapabilities capabilities) {
		this.pd = pd;
		this.sendCq = sendCq;
		this.recvCq = recvCq;
		this.srq = srq;
		this.type = type;
		this.signalAll = signalAll;
		this.capabilities = capabilities;
		this.receives = (srq != null) ? srq.receives()
				: new ReceiveQueue(capabilities.maxRecvWr(), capabilities.maxRecvSge());
		this.asyncEvents = new AckCounter(fabric().lock());
		pd.use();
		sendCq.use();
		recvCq.use();
		if (srq != null) {
			srq.use();
		}
		this.number = fabric().queuePairs().add(this);
	}

	LoopbackFabric fabric() {
		return this.pd.device().process().fabric();
	}

	LoopbackPd pd() {
		return this.pd;
	}

	int number() {
		return this.number;
	}

	QueuePairType type() {
		return this.type;
	}

	QueuePairCapabilities capabilities() {
		return this.capabilities;
	}

	QueuePairState state() {
		return this.state;
	}

	ReceiveQueue receives() {
		return this.receives;
	}

	boolean hasSharedReceives() {
		return this.srq != null;
	}

	void setState(QueuePairState next) {
		if (next == QueuePairState.ERR) {
			toError();
			return;
		}
		if (next == QueuePairState.SQD && this.state != next && this.sends.isEmpty()) {
			this.pd.device()
				.asyncEvents()
				.add(new DeviceContext.AsyncEvent(DeviceContext.AsyncEvent.SQ_DRAINED, this.handle, this.asyncEvents));
		}
		this.state = next;
		if (next == QueuePairState.RESET) {
			stopWaiting();
			this.sends.clear();
			if (this.srq == null) {
				this.receives.clear();
			}
		}
	}

	/**
	 * Make a reliable queue pair ready to send, as the library does for the CM.
	 * @param destination the peer's queue pair number
	 * @param readsOut how many reads and atomics may be outstanding
	 * @param readsIn how many reads and atomics of the peer are served
	 * @param retryCount how often an unanswered message is sent again
	 * @param rnrRetryCount how often a message is sent again that found no receive
	 * @param local the own address
	 * @param peer the peer's address
	 */
	void connect(int destination, int readsOut, int readsIn, int retryCount, int rnrRetryCount,
			@Nullable InetAddress local, @Nullable InetAddress peer) {
		int access = AccessFlag.REMOTE_WRITE.value();
		if (readsIn > 0) {
			access |= AccessFlag.REMOTE_READ.value() | AccessFlag.REMOTE_ATOMIC.value();
		}
		this.settings.accessFlags = access;
		this.settings.destination = destination;
		this.settings.maxRdAtomic = readsOut;
		this.settings.maxDestRdAtomic = readsIn;
		this.settings.retryCount = retryCount;
		this.settings.rnrRetry = rnrRetryCount;
		this.settings.local = local;
		this.settings.peer = peer;
		this.state = QueuePairState.RTS;
	}

	/**
	 * Move to the error state and flush, also what was posted in that state.
	 */
	void toError() {
		this.state = QueuePairState.ERR;
		stopWaiting();
		flushSends();
		flushReceives();
	}

	/**
	 * Complete the sends of a queue pair in the error state.
	 */
	void flushSends() {
		CompletionStatus flushed = CompletionStatus.WR_FLUSH_ERR;
		while (!this.sends.isEmpty()) {
			PostedSend send = this.sends.remove();
			this.sendCq.add(completion(this.sendCq, send.wrId, flushed, send.operation.completionOpcode()), true);
			recycle(send);
		}
	}

	private void flushReceives() {
		if (this.srq != null) {
			return;
		}
		CompletionStatus flushed = CompletionStatus.WR_FLUSH_ERR;
		for (Receive receive = this.receives.poll(); receive != null; receive = this.receives.poll()) {
			completeReceive(newReceiveCompletion(receive.wrId(), flushed, CompletionOpcode.RECV), true);
			this.receives.recycle(receive);
		}
	}

	/**
	 * Take a list of receives. In the error state they wait, as on soft-RoCE, until the
	 * queue pair is moved to that state again.
	 * @param first the first request
	 * @return 0 or the errno of the first request that was not taken
	 */
	int postReceives(ReceiveWorkRequest first) {
		if (this.state == QueuePairState.RESET || this.srq != null) {
			first.posted = false;
			return Errno.EINVAL.value();
		}
		int errno = this.receives.post(first);
		this.receives.resumeWaiting();
		return errno;
	}

	/**
	 * Complete the first send. One that failed takes the queue pair to the error state.
	 * @param status the outcome
	 * @param byteLength how many bytes were fetched
	 */
	void completeSend(CompletionStatus status, int byteLength) {
		PostedSend send = this.sends.remove();
		boolean failed = status != CompletionStatus.SUCCESS;
		if (failed || this.signalAll || send.has(SendFlag.SIGNALED)) {
			WorkCompletion completion = completion(this.sendCq, send.wrId, status, send.operation.completionOpcode());
			completion.byteLength = byteLength;
			this.sendCq.add(completion, failed);
		}
		recycle(send);
		if (failed) {
			toError();
		}
	}

	/**
	 * Return a send to fill and post. It is not used again if it is not posted.
	 * @return the send
	 */
	PostedSend newSend() {
		PostedSend send = this.idleSends.poll();
		return (send != null) ? send : new PostedSend();
	}

	// A datagram may still be on its way.
	private void recycle(PostedSend send) {
		if (this.type == QueuePairType.RC) {
			this.idleSends.push(send);
		}
	}

	/**
	 * Return the completion of a receive to fill and hand to {@link #completeReceive}.
	 * @param wrId the number of the receive
	 * @param status the outcome
	 * @param opcode the operation
	 * @return the completion
	 */
	WorkCompletion newReceiveCompletion(long wrId, CompletionStatus status, CompletionOpcode opcode) {
		return completion(this.recvCq, wrId, status, opcode.value());
	}

	private WorkCompletion completion(LoopbackCq cq, long wrId, CompletionStatus status, int opcode) {
		WorkCompletion completion = cq.newCompletion();
		completion.wrId = wrId;
		completion.status = status.value();
		completion.opcode = opcode;
		completion.qpNum = this.number;
		return completion;
	}

	void completeReceive(WorkCompletion completion, boolean solicited) {
		this.recvCq.add(completion, solicited);
	}

	void stopWaiting() {
		fabric().timer().cancel(this.resumption);
		this.resumption = null;
		if (this.awaited != null) {
			this.awaited.forget(this);
			this.awaited = null;
		}
	}

	/**
	 * Destroy the queue pair, after its asynchronous events were acknowledged.
	 */
	void destroy() {
		if (!this.groups.isEmpty()) {
			throw new RdmaException("ibv_destroy_qp", Errno.EBUSY.value());
		}
		vanish();
		this.pd.device().dropAsyncEvents(this.asyncEvents);
		this.asyncEvents.awaitAll();
		this.pd.device().process().handles().remove(this.handle);
	}

	/**
	 * Take the queue pair off the fabric without waiting for anything.
	 */
	void vanish() {
		this.state = QueuePairState.RESET;
		stopWaiting();
		this.sends.clear();
		fabric().queuePairs().remove(this.number);
		this.pd.release();
		this.sendCq.release();
		this.recvCq.release();
		if (this.srq != null) {
			this.srq.release();
		}
		if (this.id != null) {
			this.id.qp = null;
		}
	}

}
