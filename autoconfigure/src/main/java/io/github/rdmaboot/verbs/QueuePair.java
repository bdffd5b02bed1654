package io.github.rdmaboot.verbs;

import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.provider.CreatedQueuePair;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.QueuePairType;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.provider.SendWorkRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queue pair of a CM id, reliable connected or for datagrams, with a gate that keeps
 * posts away from the destroy. Any thread may post.
 */
public final class QueuePair {

	private static final Logger logger = LoggerFactory.getLogger(QueuePair.class);

	/** Code of 0.64 ms. */
	private static final int MIN_RNR_TIMER = 12;

	private final RdmaProvider provider;

	private final OwnedCmId id;

	private final CreatedQueuePair created;

	private final PostGate gate = new PostGate();

	/** Negative until the device told. */
	private volatile int maxReads = -1;

	private QueuePair(RdmaProvider provider, OwnedCmId id, CreatedQueuePair created) {
		this.provider = provider;
		this.id = id;
		this.created = created;
	}

	/**
	 * Create the queue pair of an id, whose sends complete only as they ask; stands for
	 * {@code rdma_create_qp}.
	 * @param id the CM id, bound to a device
	 * @param device the device
	 * @param queue takes the completions of sends
	 * @param receives takes those of receives
	 * @param shared the receive queue that it shares with others, or {@code null} for one
	 * of its own
	 * @param capabilities the sizes asked for
	 * @return the queue pair
	 * @throws RdmaException on EINVAL, ENOMEM
	 */
	public static QueuePair create(OwnedCmId id, Device device, CompletionQueue queue, CompletionQueue receives,
			@Nullable SharedReceiveQueue shared, QueuePairCapabilities capabilities) {
		QueuePairInit init = new QueuePairInit(queue.handle(), receives.handle(),
				(shared != null) ? shared.handle() : 0, capabilities, QueuePairType.RC, false);
		return new QueuePair(device.provider(), id, id.createQueuePair(device.pd(), init));
	}

	/**
	 * Create the datagram queue pair of an id, which is ready at once; stands for
	 * {@code rdma_create_qp}.
	 * @param id the CM id of the port space UDP, bound to a device
	 * @param device the device
	 * @param queue takes the completions of sends and receives
	 * @param capabilities the sizes asked for
	 * @return the queue pair
	 * @throws RdmaException on EINVAL, ENOMEM
	 */
	public static QueuePair createDatagram(OwnedCmId id, Device device, CompletionQueue queue,
			QueuePairCapabilities capabilities) {
		QueuePairInit init = new QueuePairInit(queue.handle(), queue.handle(), 0, capabilities, QueuePairType.UD, true);
		return new QueuePair(device.provider(), id, id.createQueuePair(device.pd(), init));
	}

	/**
	 * Return the queue pair number.
	 * @return the number
	 */
	public int qpNum() {
		return this.created.qpNum();
	}

	/**
	 * Return the queue key that datagrams to this queue pair must have; stands for
	 * {@code ibv_query_qp}.
	 * @return the key
	 * @throws RdmaException on EINVAL, EIO
	 */
	public int queryQkey() {
		return this.provider.ibvQueryQp(this.created.qp(), QueuePairAttributes.QKEY).qkey();
	}

	/**
	 * Post sends; stands for {@code ibv_post_send}.
	 * @param first the first request
	 * @return 0 or an errno: ENOTCONN when the gate is closed
	 */
	public int postSend(SendWorkRequest first) {
		if (!enter()) {
			return Errno.ENOTCONN.value();
		}
		try {
			return this.provider.ibvPostSend(this.created.qp(), first);
		}
		finally {
			leave();
		}
	}

	/**
	 * Post receives; stands for {@code ibv_post_recv}.
	 * @param first the first request
	 * @return 0 or an errno: ENOTCONN when the gate is closed
	 */
	public int postReceive(ReceiveWorkRequest first) {
		if (!enter()) {
			return Errno.ENOTCONN.value();
		}
		try {
			return this.provider.ibvPostRecv(this.created.qp(), first);
		}
		finally {
			leave();
		}
	}

	/**
	 * Let no more posts in and wait for those in progress, which do not block.
	 */
	public void closeGate() {
		this.gate.close();
	}

	/**
	 * Move the queue pair to the error state, which flushes what is posted; stands for
	 * {@code ibv_modify_qp}.
	 * @throws RdmaException if the call fails
	 */
	public void flush() {
		this.provider.ibvModifyQp(this.created.qp(), QueuePairAttributes.ofState(QueuePairState.ERR));
	}

	/**
	 * Set how long a peer is told to wait before it repeats a message that found no
	 * receive; stands for {@code ibv_modify_qp}. The CM leaves it at 655 ms, which makes
	 * a burst of messages take seconds. iWARP has no such wait, and not every device
	 * takes the change. The queue pair must be ready to receive.
	 * @return whether the device took it
	 */
	public boolean shortenRnrWait() {
		try {
			this.provider.ibvModifyQp(this.created.qp(), QueuePairAttributes.ofMinRnrTimer(MIN_RNR_TIMER));
			return true;
		}
		catch (RdmaException ex) {
			logger.debug("Queue pair {} keeps its RNR wait", qpNum(), ex);
			return false;
		}
	}

	/**
	 * Learn how many reads and atomics may be outstanding, as the connection was
	 * negotiated; stands for {@code ibv_query_qp}. Does nothing the second time. The
	 * queue pair must be ready to send, and must not be destroyed meanwhile.
	 */
	public void queryMaxReads() {
		if (this.maxReads >= 0) {
			return;
		}
		try {
			this.maxReads = this.provider.ibvQueryQp(this.created.qp(), QueuePairAttributes.MAX_QP_RD_ATOMIC)
				.maxRdAtomic();
		}
		catch (RdmaException ex) {
			logger.debug("Queue pair {} does not tell how many reads were negotiated", qpNum(), ex);
			this.maxReads = Integer.MAX_VALUE;
		}
	}

	/**
	 * Return how many reads and atomics may be outstanding, as the connection was
	 * negotiated. Makes no native call.
	 * @return the number; 0 means that the peer serves none, and a negative number that
	 * nobody asked yet
	 */
	public int maxReads() {
		return this.maxReads;
	}

	/**
	 * Destroy the queue pair; stands for {@code rdma_destroy_qp}. The gate must be
	 * closed.
	 * @throws RdmaException if the call fails
	 */
	public void destroy() {
		if (!this.gate.isClosed()) {
			throw new IllegalStateException("The gate of queue pair " + qpNum() + " must be closed first");
		}
		this.id.destroyQueuePair();
	}

	/**
	 * Keep the gate from closing while memory is prepared for a post, so that a destroy
	 * does not lend it to others meanwhile.
	 * @return whether the gate is open; if so, {@link #leave()} has to follow
	 */
	public boolean enter() {
		return this.gate.enter();
	}

	/**
	 * Undo {@link #enter()}.
	 */
	public void leave() {
		this.gate.leave();
	}

}
