package io.github.rdmaboot.provider;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Protection domain, completion queue, memory and queue pair of one id in a test.
 */
final class Endpoint implements AutoCloseable {

	static final int BUFFER = 16384;

	/** Receives go to the upper half of the buffer. */
	static final int HALF = BUFFER / 2;

	private static final int EVERY_ACCESS = 15;

	private final RdmaProvider provider;

	final long id;

	final long pd;

	final long completionChannel;

	final long cq;

	final long waker;

	final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);

	final MemoryRegionData memory;

	final CreatedQueuePair queuePair;

	private boolean queuePairGone;

	private boolean closed;

	private int cqEvents;

	Endpoint(RdmaProvider provider, long id) {
		this(provider, id, QueuePairType.RC, new QueuePairCapabilities(16, 16, 2, 2, 64), EVERY_ACCESS, false);
	}

	Endpoint(RdmaProvider provider, long id, QueuePairType type, QueuePairCapabilities capabilities, int access,
			boolean signalAll) {
		this.provider = provider;
		this.id = id;
		long context = provider.contextOf(id);
		this.pd = provider.ibvAllocPd(context);
		this.completionChannel = provider.ibvCreateCompChannel(context);
		this.cq = provider.ibvCreateCq(context, 128, this.completionChannel, 0);
		this.memory = provider.ibvRegMr(this.pd, this.buffer, access);
		this.waker = provider.createWaker();
		this.queuePair = provider.rdmaCreateQp(id, this.pd,
				new QueuePairInit(this.cq, this.cq, 0, capabilities, type, signalAll));
	}

	long qp() {
		return this.queuePair.qp();
	}

	QueuePairState state() {
		return this.provider.ibvQueryQp(qp(), QueuePairAttributes.STATE).state();
	}

	int postReceive(long wrId, int length) {
		return this.provider.ibvPostRecv(qp(), receive(wrId, length));
	}

	ReceiveWorkRequest receive(long wrId, int length) {
		ReceiveWorkRequest request = new ReceiveWorkRequest(1);
		request.wrId = wrId;
		request.sgeCount = 1;
		request.addresses[0] = this.memory.address() + HALF;
		request.lengths[0] = length;
		request.lkeys[0] = this.memory.lkey();
		return request;
	}

	SendWorkRequest request(WorkRequestOpcode opcode, long wrId, int length) {
		SendWorkRequest request = new SendWorkRequest(2);
		request.wrId = wrId;
		request.opcode = opcode.value();
		request.flags = SendFlag.SIGNALED.value();
		request.sgeCount = 1;
		request.addresses[0] = this.memory.address();
		request.lengths[0] = length;
		request.lkeys[0] = this.memory.lkey();
		return request;
	}

	int post(SendWorkRequest request) {
		return this.provider.ibvPostSend(qp(), request);
	}

	/**
	 * Post a send.
	 * @param request the send
	 * @throws RdmaException when it was not taken
	 */
	void postTaken(SendWorkRequest request) {
		int errno = post(request);
		if (errno != 0) {
			throw new RdmaException("ibv_post_send", errno);
		}
	}

	void send(long wrId, String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		this.buffer.put(0, bytes);
		assertThat(post(request(WorkRequestOpcode.SEND, wrId, bytes.length))).isZero();
	}

	String received(int length) {
		return text(HALF, length);
	}

	String text(int offset, int length) {
		byte[] bytes = new byte[length];
		this.buffer.get(offset, bytes);
		return new String(bytes, StandardCharsets.UTF_8);
	}

	/**
	 * Wait for the next completion.
	 * @return the completion
	 */
	WorkCompletion completion() {
		WorkCompletion[] one = { new WorkCompletion() };
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
		while (this.provider.ibvPollCq(this.cq, one) == 0) {
			this.provider.ibvReqNotifyCq(this.cq, false);
			if (this.provider.ibvPollCq(this.cq, one) == 1) {
				return one[0];
			}
			assertThat(System.nanoTime()).as("time until a completion").isLessThan(deadline);
			if (this.provider.awaitCqEvent(this.completionChannel, this.waker, 100)
					&& this.provider.ibvGetCqEvent(this.completionChannel) != 0) {
				this.cqEvents++;
			}
		}
		return one[0];
	}

	WorkCompletion expect(CompletionStatus status, long wrId) {
		WorkCompletion completion = completion();
		assertThat(CompletionStatus.of(completion.status)).as("status of %d", completion.wrId).isEqualTo(status);
		assertThat(completion.wrId).isEqualTo(wrId);
		return completion;
	}

	void expectNoCompletion() {
		assertThat(this.provider.ibvPollCq(this.cq, new WorkCompletion[] { new WorkCompletion() })).isZero();
	}

	void destroyQp() {
		this.queuePairGone = true;
		this.provider.rdmaDestroyQp(this.id);
	}

	void queuePairIsGone() {
		this.queuePairGone = true;
	}

	@Override
	public void close() {
		if (this.closed) {
			return;
		}
		this.closed = true;
		if (!this.queuePairGone) {
			destroyQp();
		}
		while (this.provider.ibvGetCqEvent(this.completionChannel) != 0) {
			this.cqEvents++;
		}
		if (this.cqEvents > 0) {
			this.provider.ibvAckCqEvents(this.cq, this.cqEvents);
		}
		this.provider.ibvDeregMr(this.memory.mr());
		this.provider.ibvDestroyCq(this.cq);
		this.provider.ibvDestroyCompChannel(this.completionChannel);
		this.provider.ibvDeallocPd(this.pd);
		this.provider.destroyWaker(this.waker);
	}

}
