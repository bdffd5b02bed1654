package io.github.rdmaboot.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.CmIdOption;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.QueuePairType;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link OwnedCmId} and {@link EventChannel}. Without acknowledgements many of
 * them would be stuck in destroys, each up to the limit of the test and then that of what
 * closes it, so the limits are short: all of them have to fail within minutes.
 */
@Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CmIdTests {

	private static final ConnectionParameters PARAMETERS = new ConnectionParameters(new byte[0], 1, 1, false, 6, 7,
			false, 0);

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final CallOrder order = CallOrder.ofIds(true);

	private final FaultingProvider faulting = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), this.order);

	private final BlockingQueue<CmEvent> events = new LinkedBlockingQueue<>();

	private final List<OwnedCmId> orphans = new CopyOnWriteArrayList<>();

	private final OwnedCmId id = new OwnedCmId("id");

	private EventChannel channel;

	@BeforeEach
	void open() throws Exception {
		this.fabric.addAddress(InetAddress.getByName("192.0.2.1"));
		this.channel = EventChannel.open(this.faulting.provider(), "rdma-cm-test", this.orphans::add);
	}

	@AfterEach
	@Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void close() {
		this.id.destroy();
		this.orphans.forEach(OwnedCmId::destroy);
		this.channel.close(Duration.ofSeconds(5));
		assertThat(this.order.violations()).isEmpty();
		assertThat(this.order.left()).isEmpty();
	}

	private void create() {
		this.id.create(this.channel, PortSpace.TCP, (from, event) -> this.events.add(event));
	}

	private CmEvent next() throws InterruptedException {
		CmEvent event = this.events.poll(10, TimeUnit.SECONDS);
		assertThat(event).as("next event").isNotNull();
		return event;
	}

	private static InetSocketAddress address(int port) {
		return new InetSocketAddress("192.0.2.1", port);
	}

	@Test
	void nothingNativeIsTouchedBeforeItIsCreated() {
		assertThatIllegalStateException().isThrownBy(() -> this.id.bind(address(0)))
			.withMessageContaining("rdma_bind_addr")
			.withMessageContaining("'id'")
			.withMessageContaining("NONE");
		assertThatIllegalStateException().isThrownBy(() -> this.id.setOption(CmIdOption.TOS, 1));
		assertThatIllegalStateException().isThrownBy(this.id::destroyQueuePair);
		assertThatIllegalStateException().isThrownBy(this.id::deviceContext);
		assertThat(this.id.disconnect()).isFalse();
		assertThat(this.id.destroy()).isFalse();
		assertThat(this.faulting.counts()).doesNotContainKeys("rdmaBindAddr", "rdmaSetOption", "rdmaDestroyId");
	}

	@Test
	void itCanBeCreatedAgainAfterItWasDestroyed() {
		for (int generation = 1; generation <= 3; generation++) {
			create();
			assertThat(this.id.generation()).isEqualTo(generation);
			assertThat(this.id.state()).isEqualTo(CmIdState.IDLE);
			assertThatIllegalStateException().isThrownBy(this::create);
			assertThat(this.id.destroy()).isTrue();
			assertThat(this.id.state()).isEqualTo(CmIdState.NONE);
			assertThat(this.id.destroy()).isFalse();
		}
		assertThat(this.faulting.counts().get("rdmaDestroyId")).hasValue(3);
	}

	@Test
	void callThatFailsLeavesTheStateAndIsRemembered() {
		create();
		assertThatExceptionOfType(RdmaException.class)
			.isThrownBy(() -> this.id.bind(new InetSocketAddress("203.0.113.9", 0)))
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EADDRNOTAVAIL.value()));
		assertThat(this.id.state()).isEqualTo(CmIdState.IDLE);
		assertThat(this.id.lastError()).isInstanceOf(RdmaException.class);
		this.id.bind(address(0));
		assertThat(this.id.state()).isEqualTo(CmIdState.BOUND);
		assertThat(this.id.localAddress().getPort()).isPositive();
	}

	@Test
	void connectWithoutQueuePairIsRefusedBeforeItCouldCrash() throws Exception {
		create();
		this.id.resolveAddr(null, address(1), 1000);
		assertThat(next().type()).isEqualTo(CmEventType.ADDR_RESOLVED);
		this.id.resolveRoute(1000);
		assertThat(next().type()).isEqualTo(CmEventType.ROUTE_RESOLVED);
		assertThatIllegalStateException().isThrownBy(() -> this.id.connect(PARAMETERS))
			.withMessageContaining("queue pair");
		assertThat(this.id.state()).isEqualTo(CmIdState.ROUTE_RESOLVED);
		assertThat(this.id.deviceName()).isEqualTo("loop0");
	}

	@Test
	void destroyIsRefusedWhileTheQueuePairExists() throws Exception {
		create();
		this.id.resolveAddr(null, address(1), 1000);
		next();
		long context = this.id.deviceContext();
		long pd = this.faulting.provider().ibvAllocPd(context);
		long cq = this.faulting.provider().ibvCreateCq(context, 4, 0, 0);
		QueuePairInit init = new QueuePairInit(cq, cq, 0, new QueuePairCapabilities(1, 1, 1, 1, 0), QueuePairType.RC,
				true);
		this.id.createQueuePair(pd, init);
		assertThatIllegalStateException().isThrownBy(() -> this.id.createQueuePair(pd, init));
		assertThatIllegalStateException().isThrownBy(this.id::destroy).withMessageContaining("queue pair");
		assertThat(this.faulting.counts()).doesNotContainKey("rdmaDestroyId");
		this.id.destroyQueuePair();
		this.faulting.provider().ibvDestroyCq(cq);
		this.faulting.provider().ibvDeallocPd(pd);
		assertThat(this.id.destroy()).isTrue();
	}

	@Test
	void destroyThatFailsLeaksTheIdAndTheSlotCanBeUsedAgain() {
		create();
		this.faulting.inject(new Fault("rdmaDestroyId", 1, Kind.FAIL, Errno.EACCES.value()));
		assertThatExceptionOfType(RdmaException.class).isThrownBy(this.id::destroy);
		assertThat(this.id.state()).isEqualTo(CmIdState.LEAKED);
		assertThat(this.id.destroy()).isFalse();
		create();
		assertThat(this.id.state()).isEqualTo(CmIdState.IDLE);
	}

	@Test
	void eventWhoseAcknowledgementFailedIsAcknowledgedBeforeTheDestroyWhichIsSaid() throws Exception {
		create();
		this.faulting.inject(new Fault("rdmaAckCmEvent", 1, Kind.FAIL, Errno.EINVAL.value()));
		this.id.resolveAddr(null, address(1), 1000);
		assertThat(next().type()).isEqualTo(CmEventType.ADDR_RESOLVED);
		assertThat(this.id.deliveredEvents() - this.id.acknowledgedEvents()).isEqualTo(1);
		assertThat(warnings(() -> assertThat(this.id.destroy()).isTrue())).singleElement()
			.asString()
			.contains("'id'", "1 event", "rdma_destroy_id");
		assertThat(this.id.deliveredEvents()).isEqualTo(this.id.acknowledgedEvents());
	}

	@Test
	void eventWhoseAcknowledgementFailedIsAcknowledgedBeforeTheQueuePairIsDestroyedWhileConnecting() throws Exception {
		BlockingQueue<OwnedCmId> requests = new LinkedBlockingQueue<>();
		OwnedCmId listener = listener(requests);
		this.faulting.inject(new Fault("rdmaAckCmEvent", 2, Kind.FAIL, Errno.EINVAL.value()));
		OwnedQueuePair queuePair = connect(listener);
		assertThat(this.id.deliveredEvents() - this.id.acknowledgedEvents()).as("left by the route").isEqualTo(1);
		OwnedCmId child = requests.poll(10, TimeUnit.SECONDS);
		assertThat(child).as("connection request").isNotNull();
		assertThat(warnings(this.id::destroyQueuePair)).singleElement()
			.asString()
			.contains("'id'", "1 event", "rdma_migrate_id");
		assertThat(this.id.deliveredEvents()).isEqualTo(this.id.acknowledgedEvents());
		queuePair.free();
		assertThat(warnings(this.id::destroy)).as("said again").isEmpty();
		List.of(child, listener).forEach(OwnedCmId::destroy);
	}

	// Return what the channel warns of while something runs.
	private static List<String> warnings(Runnable task) {
		Logger logger = (Logger) LoggerFactory.getLogger(EventChannel.class);
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		logger.addAppender(log);
		try {
			task.run();
			return log.list.stream()
				.filter((event) -> event.getLevel() == Level.WARN)
				.map(ILoggingEvent::getFormattedMessage)
				.toList();
		}
		finally {
			logger.detachAppender(log);
		}
	}

	@Test
	void requestThatNoHandlerTakesBecomesAnOrphan() throws Exception {
		OwnedCmId listener = new OwnedCmId("listener");
		listener.create(this.channel, PortSpace.TCP, (from, event) -> {
			throw new IllegalStateException("no connections today");
		});
		listener.bind(address(0));
		listener.listen(1);
		create();
		this.id.resolveAddr(null, address(listener.localAddress().getPort()), 1000);
		next();
		this.id.resolveRoute(1000);
		next();
		long context = this.id.deviceContext();
		long pd = this.faulting.provider().ibvAllocPd(context);
		long cq = this.faulting.provider().ibvCreateCq(context, 4, 0, 0);
		this.id.createQueuePair(pd,
				new QueuePairInit(cq, cq, 0, new QueuePairCapabilities(1, 1, 1, 1, 0), QueuePairType.RC, true));
		this.id.connect(PARAMETERS);
		await().atMost(10, TimeUnit.SECONDS).until(() -> this.orphans.size() == 1);
		assertThat(this.orphans.get(0).state()).isEqualTo(CmIdState.REQUESTED);
		assertThat(listener.deliveredEvents()).isEqualTo(1);
		assertThat(listener.acknowledgedEvents()).isEqualTo(1);
		assertThat(listener.destroy()).isTrue();
		this.orphans.get(0).reject(new byte[] { 1 });
		assertThat(next().type()).isEqualTo(CmEventType.REJECTED);
		assertThat(this.id.state()).isEqualTo(CmIdState.FAILED);
		this.id.destroyQueuePair();
		this.faulting.provider().ibvDestroyCq(cq);
		this.faulting.provider().ibvDeallocPd(pd);
	}

	@Test
	void requestThatComesWhileItsListenerIsBeingDestroyedBecomesAnOrphan() throws Exception {
		BlockingQueue<OwnedCmId> requests = new LinkedBlockingQueue<>();
		OwnedCmId listener = listener(requests);
		this.faulting.inject(new Fault("rdmaDestroyId", 1, Kind.BLOCK, 0));
		Thread destroying = new Thread(listener::destroy, "destroying");
		destroying.start();
		await().atMost(10, TimeUnit.SECONDS).until(this.faulting::isInjected);
		OwnedQueuePair queuePair = connect(listener);
		await().atMost(10, TimeUnit.SECONDS).until(() -> this.orphans.size() == 1);
		assertThat(this.orphans.get(0).state()).isEqualTo(CmIdState.REQUESTED);
		assertThat(requests).as("requests that the listener was told of").isEmpty();
		this.faulting.release();
		destroying.join();
		this.id.destroyQueuePair();
		queuePair.free();
	}

	@Test
	void queuePairThatCannotBeDestroyedWhileConnectingHoldsUpNoOtherEvents() throws Exception {
		BlockingQueue<OwnedCmId> requests = new LinkedBlockingQueue<>();
		OwnedCmId listener = listener(requests);
		OwnedQueuePair queuePair = connect(listener);
		OwnedCmId child = requests.poll(10, TimeUnit.SECONDS);
		assertThat(child).as("connection request").isNotNull();
		this.faulting.inject(new Fault("rdmaDestroyQp", 1, Kind.BLOCK, 0));
		Thread stuck = new Thread(this.id::destroyQueuePair, "stuck");
		stuck.start();
		await().atMost(10, TimeUnit.SECONDS).until(this.faulting::isInjected);
		OwnedCmId other = new OwnedCmId("other");
		other.create(this.channel, PortSpace.TCP, (from, event) -> this.events.add(event));
		other.resolveAddr(null, address(1), 1000);
		assertThat(next().type()).isEqualTo(CmEventType.ADDR_RESOLVED);
		child.reject(new byte[0]);
		this.faulting.release();
		stuck.join();
		queuePair.free();
		assertThat(this.id.destroy()).isTrue();
		assertThat(this.events).as("events of the id that was destroyed").isEmpty();
		List.of(other, child, listener).forEach(OwnedCmId::destroy);
	}

	@Test
	void queuePairIsDestroyedBetweenEventsWhenItsIdCannotBeMovedToAnotherChannel() throws Exception {
		BlockingQueue<OwnedCmId> requests = new LinkedBlockingQueue<>();
		OwnedCmId listener = listener(requests);
		OwnedQueuePair queuePair = connect(listener);
		this.faulting.inject(new Fault("rdmaMigrateId", 1, Kind.FAIL, Errno.EINVAL.value()));
		this.id.destroyQueuePair();
		assertThat(this.faulting.isInjected()).isTrue();
		assertThat(this.faulting.counts().get("rdmaDestroyQp")).hasValue(1);
		queuePair.free();
		OwnedCmId child = requests.poll(10, TimeUnit.SECONDS);
		assertThat(child).as("connection request").isNotNull();
		List.of(this.id, child, listener).forEach(OwnedCmId::destroy);
	}

	// The kernel would take it, and then destroy the id only after about 100 s, when it
	// has given up its own request: ConnectLimitContract.
	@Test
	void ownRequestCannotBeRejected() throws Exception {
		BlockingQueue<OwnedCmId> requests = new LinkedBlockingQueue<>();
		OwnedCmId listener = listener(requests);
		OwnedQueuePair queuePair = connect(listener);
		OwnedCmId child = requests.poll(10, TimeUnit.SECONDS);
		assertThat(child).as("connection request").isNotNull();
		assertThatIllegalStateException().isThrownBy(() -> this.id.reject(new byte[0]))
			.withMessageContaining("CONNECTING");
		assertThat(this.faulting.counts()).doesNotContainKey("rdmaReject");
		this.id.destroyQueuePair();
		queuePair.free();
		List.of(this.id, child, listener).forEach(OwnedCmId::destroy);
	}

	private OwnedCmId listener(BlockingQueue<OwnedCmId> requests) {
		OwnedCmId listener = new OwnedCmId("listener");
		listener.create(this.channel, PortSpace.TCP, (from, event) -> {
			if (event.child() != null) {
				requests.add(event.child());
			}
		});
		listener.bind(address(0));
		listener.listen(1);
		return listener;
	}

	// Begin to connect; the listener does not answer.
	private OwnedQueuePair connect(OwnedCmId listener) throws InterruptedException {
		create();
		this.id.resolveAddr(null, address(listener.localAddress().getPort()), 1000);
		next();
		this.id.resolveRoute(1000);
		next();
		long pd = this.faulting.provider().ibvAllocPd(this.id.deviceContext());
		long cq = this.faulting.provider().ibvCreateCq(this.id.deviceContext(), 4, 0, 0);
		this.id.createQueuePair(pd,
				new QueuePairInit(cq, cq, 0, new QueuePairCapabilities(1, 1, 1, 1, 0), QueuePairType.RC, true));
		this.id.connect(PARAMETERS);
		return () -> {
			this.faulting.provider().ibvDestroyCq(cq);
			this.faulting.provider().ibvDeallocPd(pd);
		};
	}

	@Test
	void channelIsNotDestroyedUnderItsIdsButWithTheLastOfThem() {
		create();
		assertThatIllegalStateException().isThrownBy(() -> this.channel.close(Duration.ofSeconds(5)))
			.withMessageContaining("1 CM ids");
		assertThat(this.faulting.counts()).doesNotContainKey("rdmaDestroyEventChannel");
		this.id.destroy();
		assertThat(this.faulting.counts()).containsKey("rdmaDestroyEventChannel");
	}

	@ParameterizedTest
	@EnumSource(CmEventType.class)
	void anyEventMayArriveInAnyState(CmEventType type) {
		for (CmIdState state : CmIdState.values()) {
			CmIdState after = CmIdTransitions.after(state, type);
			if (!state.isLive()) {
				assertThat(after).as("%s in %s", type, state).isEqualTo(state);
			}
			else if (type == CmEventType.DEVICE_REMOVAL) {
				assertThat(after).isEqualTo(CmIdState.DEVICE_REMOVED);
			}
			else if (type == CmEventType.TIMEWAIT_EXIT || type == CmEventType.ADDR_CHANGE || type == CmEventType.USER) {
				assertThat(after).isEqualTo(state);
			}
		}
	}

	/**
	 * What a queue pair needs, and what is freed after it.
	 */
	@FunctionalInterface
	private interface OwnedQueuePair {

		/**
		 * Free it.
		 */
		void free();

	}

}
