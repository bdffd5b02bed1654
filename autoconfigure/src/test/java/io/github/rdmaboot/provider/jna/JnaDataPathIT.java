package io.github.rdmaboot.provider.jna;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.sun.management.ThreadMXBean;
import io.github.rdmaboot.provider.AccessFlag;
import io.github.rdmaboot.provider.CreatedQueuePair;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.MemoryRegionData;
import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.QueuePairType;
import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.provider.SendFlag;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import io.github.rdmaboot.provider.jna.NativePeers.Peer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the data path of the provider against the kernel.
 */
class JnaDataPathIT extends NativeFixture {

	@Test
	void messagesGoBothWays() {
		Peer[] pair = this.peers.connect();
		Peer client = pair[0];
		Peer server = pair[1];
		server.receive(1, 0, 64);
		client.receive(2, 0, 64);
		client.put(128, "to the server");
		assertThat(client.send(3, WorkRequestOpcode.SEND, 128, 13, 0)).isZero();
		WorkCompletion received = server.awaitCompletion();
		assertThat(received.status).isZero();
		assertThat(received.wrId).isEqualTo(1);
		assertThat(received.byteLength).isEqualTo(13);
		assertThat(received.qpNum).isEqualTo(server.qpNum());
		assertThat(server.get(0, 13)).isEqualTo("to the server");
		assertThat(client.awaitCompletion().wrId).isEqualTo(3);
		server.put(128, "and back");
		assertThat(server.send(4, WorkRequestOpcode.SEND, 128, 8, 0)).isZero();
		assertThat(client.awaitCompletion().wrId).isEqualTo(2);
		assertThat(client.get(0, 8)).isEqualTo("and back");
		assertThat(server.awaitCompletion().wrId).isEqualTo(4);
	}

	@Test
	void immediateDataArrivesInHostOrder() {
		Peer[] pair = this.peers.connect();
		pair[1].receive(1, 0, 64);
		SendWorkRequest request = pair[0].request(2, WorkRequestOpcode.SEND_WITH_IMM, 0, 4);
		request.immediateData = 0x01020304;
		assertThat(this.provider.ibvPostSend(pair[0].qp(), request)).isZero();
		WorkCompletion received = pair[1].awaitCompletion();
		assertThat(received.immediateData).isEqualTo(0x01020304);
		assertThat(received.flags & 2).isEqualTo(2);
		pair[0].awaitCompletion();
	}

	@Test
	void memoryOfThePeerIsWrittenReadAndChangedAtomically() {
		Peer[] pair = this.peers.connect();
		Peer client = pair[0];
		Peer server = pair[1];
		client.put(0, "written");
		assertThat(client.remote(1, WorkRequestOpcode.RDMA_WRITE, 0, 7, server, 256)).isZero();
		assertThat(client.awaitCompletion().status).isZero();
		assertThat(server.get(256, 7)).isEqualTo("written");
		assertThat(client.remote(2, WorkRequestOpcode.RDMA_READ, 64, 7, server, 256)).isZero();
		assertThat(client.awaitCompletion().status).isZero();
		assertThat(client.get(64, 7)).isEqualTo("written");
		server.memory().putLong(512, 40);
		SendWorkRequest add = client.request(3, WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, 128, 8);
		client.aim(add, server, 512);
		add.compareAdd = 2;
		assertThat(this.provider.ibvPostSend(client.qp(), add)).isZero();
		assertThat(client.awaitCompletion().status).isZero();
		assertThat(client.memory().getLong(128)).isEqualTo(40);
		SendWorkRequest swap = client.request(4, WorkRequestOpcode.ATOMIC_CMP_AND_SWP, 128, 8);
		client.aim(swap, server, 512);
		swap.compareAdd = 42;
		swap.swap = 7;
		assertThat(this.provider.ibvPostSend(client.qp(), swap)).isZero();
		assertThat(client.awaitCompletion().status).isZero();
		assertThat(client.memory().getLong(128)).isEqualTo(42);
		assertThat(server.memory().getLong(512)).isEqualTo(7);
	}

	@Test
	void aListIsPostedUpToTheFirstRequestThatTheQueueCannotTake() {
		Peer[] pair = this.peers.connect();
		Peer client = pair[0];
		SendWorkRequest first = client.request(1, WorkRequestOpcode.RDMA_WRITE, 0, 4);
		client.aim(first, pair[1], 0);
		SendWorkRequest bad = new SendWorkRequest(64);
		bad.wrId = 2;
		bad.sgeCount = 64;
		bad.opcode = WorkRequestOpcode.RDMA_WRITE.value();
		first.next = bad;
		assertThat(this.provider.ibvPostSend(client.qp(), first)).isEqualTo(Errno.EINVAL.value());
		assertThat(first.posted).isTrue();
		assertThat(bad.posted).isFalse();
		assertThat(client.awaitCompletion().wrId).isEqualTo(1);
	}

	@Test
	void aLongListIsPostedAtOnce() {
		Peer[] pair = this.peers.connect();
		SendWorkRequest first = pair[0].request(0, WorkRequestOpcode.RDMA_WRITE, 0, 8);
		SendWorkRequest last = first;
		pair[0].aim(first, pair[1], 0);
		for (int i = 1; i < 60; i++) {
			SendWorkRequest request = pair[0].request(i, WorkRequestOpcode.RDMA_WRITE, 8 * i, 8);
			pair[0].aim(request, pair[1], 8 * i);
			pair[0].memory().putLong(8 * i, i);
			last.next = request;
			last = request;
		}
		assertThat(this.provider.ibvPostSend(pair[0].qp(), first)).isZero();
		for (int i = 0; i < 60; i++) {
			assertThat(pair[0].awaitCompletion().wrId).isEqualTo(i);
		}
		assertThat(pair[1].memory().getLong(8 * 59)).isEqualTo(59);
	}

	@Test
	void inlineDataNeedsNoRegisteredMemory() {
		Peer[] pair = this.peers.connect();
		pair[1].receive(1, 0, 64);
		ByteBuffer unregistered = ByteBuffer.allocateDirect(16).put("inline".getBytes(StandardCharsets.UTF_8));
		SendWorkRequest request = pair[0].request(2, WorkRequestOpcode.SEND, 0, 6);
		request.addresses[0] = CallBlock.addressOf(unregistered);
		request.lkeys[0] = 0;
		request.flags |= SendFlag.INLINE.value();
		assertThat(this.provider.ibvPostSend(pair[0].qp(), request)).isZero();
		pair[1].awaitCompletion();
		assertThat(pair[1].get(0, 6)).isEqualTo("inline");
		pair[0].awaitCompletion();
	}

	@Test
	void completionsAnnounceThemselvesOnTheirChannel() {
		Peer[] pair = this.peers.connect();
		long waker = this.provider.createWaker();
		this.provider.ibvReqNotifyCq(pair[1].cq(), false);
		assertThat(this.provider.ibvGetCqEvent(pair[1].completionChannel())).isZero();
		pair[1].receive(1, 0, 16);
		pair[0].send(2, WorkRequestOpcode.SEND, 0, 4, SendFlag.SIGNALED.value());
		assertThat(this.provider.awaitCqEvent(pair[1].completionChannel(), waker, 30_000)).isTrue();
		assertThat(this.provider.ibvGetCqEvent(pair[1].completionChannel())).isEqualTo(pair[1].cq());
		this.provider.ibvAckCqEvents(pair[1].cq(), 1);
		assertThat(pair[1].awaitCompletion().wrId).isEqualTo(1);
		pair[0].awaitCompletion();
		this.provider.destroyWaker(waker);
	}

	@Test
	void memoryIsRegisteredFromPositionToLimit() {
		Peer[] pair = this.peers.connect();
		ByteBuffer memory = ByteBuffer.allocateDirect(8192);
		memory.position(100).limit(4196);
		MemoryRegionData region = this.provider.ibvRegMr(pair[0].pd(), memory,
				AccessFlag.LOCAL_WRITE.value() | AccessFlag.RELAXED_ORDERING.value());
		assertThat(region.length()).isEqualTo(4096);
		assertThat(region.address()).isEqualTo(CallBlock.addressOf(memory) + 100);
		this.provider.ibvDeregMr(region.mr());
		assertThatFailure(() -> this.provider.ibvRegMr(pair[0].pd(), memory, AccessFlag.REMOTE_WRITE.value()))
			.isEqualTo("ibv_reg_mr EINVAL");
	}

	@Test
	void severalThreadsPostAndPollAtOnce() throws Exception {
		List<CompletableFuture<Void>> threads = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			Peer[] pair = this.peers.connect();
			threads.add(CompletableFuture.runAsync(() -> writeOften(pair, 200), (task) -> new Thread(task).start()));
		}
		for (CompletableFuture<Void> thread : threads) {
			thread.get(60, TimeUnit.SECONDS);
		}
	}

	@Test
	void postingAndPollingAllocateNothing() {
		Peer[] pair = this.peers.connect();
		SendWorkRequest request = pair[0].request(1, WorkRequestOpcode.RDMA_WRITE, 0, 8);
		pair[0].aim(request, pair[1], 0);
		WorkCompletion[] completions = { new WorkCompletion(), new WorkCompletion() };
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long measuring = threads.getCurrentThreadAllocatedBytes();
		measuring = threads.getCurrentThreadAllocatedBytes() - measuring;
		write(pair[0], request, completions);
		long before = threads.getCurrentThreadAllocatedBytes();
		for (int i = 0; i < 1000; i++) {
			write(pair[0], request, completions);
		}
		assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThanOrEqualTo(measuring + 1000);
	}

	private void write(Peer peer, SendWorkRequest request, WorkCompletion[] completions) {
		if (this.provider.ibvPostSend(peer.qp(), request) != 0) {
			throw new IllegalStateException("The post failed");
		}
		while (this.provider.ibvPollCq(peer.cq(), completions) == 0) {
			Thread.onSpinWait();
		}
	}

	private void writeOften(Peer[] pair, int times) {
		for (int i = 0; i < times; i++) {
			pair[0].memory().putLong(0, i);
			assertThat(pair[0].remote(i, WorkRequestOpcode.RDMA_WRITE, 0, 8, pair[1], 8)).isZero();
			WorkCompletion completion = pair[0].awaitCompletion();
			assertThat(completion.status).isZero();
			assertThat(completion.wrId).isEqualTo(i);
			assertThat(pair[1].memory().getLong(8)).isEqualTo(i);
		}
	}

	@Test
	void aSharedReceiveQueueTakesReceives() {
		this.peers.listen();
		long id = this.peers.resolve();
		long pd = this.provider.ibvAllocPd(this.provider.contextOf(id));
		long srq = this.provider.rdmaCreateSrq(id, pd, 4, 1);
		ReceiveWorkRequest request = new ReceiveWorkRequest(1);
		request.next = new ReceiveWorkRequest(1);
		assertThat(this.provider.ibvPostSrqRecv(srq, request)).isZero();
		assertThat(request.next.posted).isTrue();
		long cq = this.provider.ibvCreateCq(this.provider.contextOf(id), 16, 0, 0);
		CreatedQueuePair queuePair = this.provider.rdmaCreateQp(id, pd,
				new QueuePairInit(cq, cq, srq, new QueuePairCapabilities(4, 0, 1, 0, 0), QueuePairType.RC, true));
		assertThat(queuePair.qpNum()).isPositive();
		assertThatFailure(() -> this.provider.rdmaDestroySrq(id)).isEqualTo("ibv_destroy_srq EBUSY");
		this.provider.rdmaDestroyQp(id);
		this.provider.rdmaDestroySrq(id);
		this.provider.ibvDestroyCq(cq);
		this.provider.ibvDeallocPd(pd);
	}

	@Test
	void aQueuePairIsCreatedWithFlagsAndWithoutAnId() {
		this.peers.listen();
		long id = this.peers.resolve();
		long pd = this.provider.ibvAllocPd(this.provider.contextOf(id));
		long cq = this.provider.ibvCreateCq(this.provider.contextOf(id), 16, 0, 0);
		QueuePairInit wanted = new QueuePairInit(cq, cq, 0, new QueuePairCapabilities(4, 4, 1, 1, 0), QueuePairType.RC,
				true);
		assertThat(this.provider.rdmaCreateQpEx(id, pd, wanted, 0).capabilities().maxRecvWr())
			.isGreaterThanOrEqualTo(4);
		this.provider.rdmaDestroyQp(id);
		CreatedQueuePair own = this.provider.ibvCreateQp(pd, wanted);
		assertThat(this.provider.ibvQueryQp(own.qp(), QueuePairAttributes.STATE).state())
			.isEqualTo(QueuePairState.RESET);
		QueuePairAttributes init = this.provider.rdmaInitQpAttr(id, QueuePairState.INIT);
		this.provider.ibvModifyQp(own.qp(), init);
		assertThat(this.provider.ibvQueryQp(own.qp(), QueuePairAttributes.PORT).portNum()).isEqualTo(1);
		this.provider.ibvModifyQp(own.qp(), QueuePairAttributes.ofState(QueuePairState.ERR));
		assertThat(this.provider.ibvQueryQp(own.qp(), QueuePairAttributes.STATE).state()).isEqualTo(QueuePairState.ERR);
		this.provider.ibvDestroyQp(own.qp());
		this.provider.ibvDestroyCq(cq);
		this.provider.ibvDeallocPd(pd);
	}

}
