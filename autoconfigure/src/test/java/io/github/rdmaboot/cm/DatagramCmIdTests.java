package io.github.rdmaboot.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.CmEventData;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.QueuePairType;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link OwnedCmId} of the datagram port space.
 */
@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DatagramCmIdTests {

	private static final InetSocketAddress GROUP = new InetSocketAddress("239.1.2.3", 0);

	private static final InetSocketAddress OTHER_GROUP = new InetSocketAddress("239.1.2.4", 0);

	private static final ConnectionParameters QUEUE_PAIR_77 = new ConnectionParameters(new byte[0], 0, 0, false, 0, 0,
			false, 77);

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final CallOrder order = new CallOrder();

	private final FaultingProvider faulting = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), this.order);

	private final RdmaProvider provider = this.faulting.provider();

	private final BlockingQueue<CmEvent> events = new LinkedBlockingQueue<>();

	private final OwnedCmId id = new OwnedCmId("id");

	private final OwnedCmId other = new OwnedCmId("other");

	private EventChannel channel;

	private long pd;

	private long cq;

	@BeforeEach
	void open() throws Exception {
		this.fabric.addAddress(InetAddress.getByName("192.0.2.1"));
		this.channel = EventChannel.open(this.provider, "rdma-cm-test", OwnedCmId::destroy);
	}

	@AfterEach
	void close() {
		if (this.id.qpNum() != 0) {
			this.id.destroyQueuePair();
			this.provider.ibvDestroyCq(this.cq);
			this.provider.ibvDeallocPd(this.pd);
		}
		this.other.destroy();
		this.id.destroy();
		this.channel.close(Duration.ofSeconds(5));
		assertThat(this.order.violations()).isEmpty();
		assertThat(this.order.left()).isEmpty();
	}

	private void bind() {
		this.id.create(this.channel, PortSpace.UDP, (from, event) -> this.events.add(event));
		this.id.bind(new InetSocketAddress("192.0.2.1", 0));
	}

	private void createQueuePair() {
		long context = this.id.deviceContext();
		this.pd = this.provider.ibvAllocPd(context);
		this.cq = this.provider.ibvCreateCq(context, 4, 0, 0);
		this.id.createQueuePair(this.pd, new QueuePairInit(this.cq, this.cq, 0,
				new QueuePairCapabilities(2, 2, 1, 1, 0), QueuePairType.UD, true));
	}

	private CmEvent next(CmEventType type) throws InterruptedException {
		CmEvent event = this.events.poll(10, TimeUnit.SECONDS);
		assertThat(event).as("next event").isNotNull();
		assertThat(event.type()).isEqualTo(type);
		return event;
	}

	@Test
	void boundIdTakesAQueuePairAndKnowsItsPort() {
		bind();
		assertThat(this.id.portNum()).isEqualTo(1);
		createQueuePair();
		assertThat(this.id.qpNum()).isPositive();
	}

	@Test
	void groupIsNotJoinedWithoutAQueuePair() {
		bind();
		assertThatIllegalStateException().isThrownBy(() -> this.id.joinMulticast(GROUP))
			.withMessageContaining("rdma_join_multicast")
			.withMessageContaining("no queue pair");
	}

	@Test
	void answerToAJoinTellsWhereDatagramsGo() throws Exception {
		bind();
		createQueuePair();
		this.id.joinMulticast(GROUP);
		DatagramTarget target = next(CmEventType.MULTICAST_JOIN).target();
		assertThat(target).isNotNull();
		assertThat(target.qpNum()).isEqualTo(0xffffff);
		this.id.leaveMulticast(GROUP);
	}

	@Test
	void groupMayBeLeftBeforeItsJoinIsAnswered() {
		bind();
		createQueuePair();
		for (int i = 0; i < 200; i++) {
			this.id.joinMulticast(GROUP);
			this.id.leaveMulticast(GROUP);
		}
		assertThat(this.id.state()).isEqualTo(CmIdState.BOUND);
	}

	@Test
	void leaveThatDoesNotReturnBeforeItsJoinIsAnsweredHoldsUpNoEvents() throws Exception {
		bind();
		createQueuePair();
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		BlockingQueue<CmEventType> ofOther = new LinkedBlockingQueue<>();
		this.other.create(this.channel, PortSpace.UDP, (from, event) -> {
			entered.countDown();
			assertThat(awaited(goOn)).isTrue();
			ofOther.add(event.type());
		});
		this.other.resolveAddr(null, new InetSocketAddress("192.0.2.1", 7174), 2000);
		assertThat(awaited(entered)).isTrue();
		this.faulting.inject(new Fault("rdmaLeaveMulticast", 1, Kind.BLOCK, 0));
		this.id.joinMulticast(GROUP);
		Thread leaver = new Thread(() -> this.id.leaveMulticast(GROUP), "leaver");
		leaver.start();
		await().until(this.faulting::isInjected);
		goOn.countDown();
		assertThat(ofOther.poll(10, TimeUnit.SECONDS)).isEqualTo(CmEventType.ADDR_RESOLVED);
		this.other.resolveRoute(2000);
		assertThat(ofOther.poll(10, TimeUnit.SECONDS)).isEqualTo(CmEventType.ROUTE_RESOLVED);
		assertThat(this.events).isEmpty();
		this.faulting.release();
		leaver.join(10_000);
		this.id.joinMulticast(GROUP);
		next(CmEventType.MULTICAST_JOIN);
		this.id.leaveMulticast(GROUP);
	}

	@Test
	void groupThatWasLeftBeforeItsJoinWasAnsweredIsForgotten() throws Exception {
		bind();
		createQueuePair();
		CountDownLatch goOn = holdEvents();
		this.id.joinMulticast(GROUP);
		this.id.leaveMulticast(GROUP);
		int moved = moves();
		assertThat(moved).as("moves of the id while its first group was left").isEqualTo(2);
		goOn.countDown();
		this.id.joinMulticast(OTHER_GROUP);
		assertThat(next(CmEventType.MULTICAST_JOIN).group()).isEqualTo(OTHER_GROUP);
		this.id.leaveMulticast(OTHER_GROUP);
		assertThat(moves()).as("moves of the id when nothing was unanswered").isEqualTo(moved);
	}

	@Test
	void groupIsLeftAtOnceWhileTheJoinOfAnotherIsUnanswered() throws Exception {
		bind();
		createQueuePair();
		this.id.joinMulticast(GROUP);
		next(CmEventType.MULTICAST_JOIN);
		CountDownLatch goOn = holdEvents();
		this.id.joinMulticast(OTHER_GROUP);
		this.id.leaveMulticast(GROUP);
		assertThat(moves()).as("moves of the id").isZero();
		this.id.leaveMulticast(OTHER_GROUP);
		assertThat(moves()).as("moves of the id").isEqualTo(2);
		goOn.countDown();
	}

	@Test
	void lossOfOneGroupAnswersNoJoinOfAnother() {
		NativeCmId cmId = new NativeCmId(this.channel, 1, true, CmIdState.BOUND, null);
		long first = cmId.joins().begin(GROUP);
		assertThat(cmId.fetched(multicast(CmEventType.MULTICAST_JOIN, first))).isEqualTo(GROUP);
		assertThat(cmId.isQueuePairInUseByEvents()).isFalse();
		cmId.joins().begin(OTHER_GROUP);
		assertThat(cmId.fetched(multicast(CmEventType.MULTICAST_ERROR, first))).isEqualTo(GROUP);
		assertThat(cmId.isQueuePairInUseByEvents()).isTrue();
		cmId.joins().left(OTHER_GROUP);
		assertThat(cmId.isQueuePairInUseByEvents()).isFalse();
	}

	private static CmEventData multicast(CmEventType type, long join) {
		return new CmEventData(1, type.value(), 0, 1, 0, new byte[0], 0, 0, 0, 0, null, join);
	}

	private int moves() {
		return this.faulting.counts().getOrDefault("rdmaMigrateId", new AtomicInteger()).get();
	}

	// Keep the channel's thread in a handler until the latch is open.
	private CountDownLatch holdEvents() {
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		this.other.create(this.channel, PortSpace.UDP, (from, event) -> {
			entered.countDown();
			assertThat(awaited(goOn)).isTrue();
		});
		this.other.resolveAddr(null, new InetSocketAddress("192.0.2.1", 7174), 2000);
		assertThat(awaited(entered)).isTrue();
		return goOn;
	}

	private static boolean awaited(CountDownLatch latch) {
		try {
			return latch.await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void destroyedIdLeavesNoGroup() {
		assertThatIllegalStateException().isThrownBy(() -> this.id.leaveMulticast(GROUP))
			.withMessageContaining("rdma_leave_multicast")
			.withMessageContaining("NONE");
		assertThatIllegalStateException().isThrownBy(this.id::portNum).withMessageContaining("port_num");
	}

	@Test
	void questionNeedsNoQueuePairAndIsAnsweredWithTheNumberThatIsGiven() throws Exception {
		this.other.create(this.channel, PortSpace.UDP, (from, event) -> {
			OwnedCmId child = event.child();
			if (child != null) {
				child.accept(QUEUE_PAIR_77);
				child.destroy();
			}
		});
		this.other.bind(new InetSocketAddress("192.0.2.1", 7174));
		this.other.listen(4);
		this.id.create(this.channel, PortSpace.UDP, (from, event) -> this.events.add(event));
		this.id.resolveAddr(null, new InetSocketAddress("192.0.2.1", 7174), 2000);
		next(CmEventType.ADDR_RESOLVED);
		this.id.resolveRoute(2000);
		next(CmEventType.ROUTE_RESOLVED);
		this.id.connect(QUEUE_PAIR_77);
		DatagramTarget target = next(CmEventType.ESTABLISHED).target();
		assertThat(target).isNotNull();
		assertThat(target.qpNum()).isEqualTo(77);
	}

}
