package io.github.rdmaboot.provider;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.CallOrder.Call;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@link CallOrder} sees what is done in a wrong order, and finds nothing
 * wrong with the right one.
 */
@Timeout(30)
class CallOrderTests {

	private static final long CONTEXT = 1;

	private static final long CHANNEL = 10;

	private static final long ID = 20;

	private static final long LISTENER = 21;

	private static final long PD = 30;

	private static final long CQ_CHANNEL = 40;

	private static final long CQ = 41;

	private static final long QP = 50;

	private static final long MR = 60;

	private static final long SRQ = 70;

	private static final long AH = 80;

	private static final long EVENT = 90;

	private static final long WAKER = 5;

	private static final InetSocketAddress GROUP = new InetSocketAddress(0);

	private final CallOrder order = new CallOrder(false);

	@BeforeEach
	void makeAll() {
		call("rdmaCreateEventChannel", CHANNEL);
		call("createWaker", WAKER);
		call("rdmaCreateId", LISTENER, CHANNEL, PortSpace.TCP);
		call("rdmaListen", null, LISTENER, 0);
		call("rdmaCreateId", ID, CHANNEL, PortSpace.TCP);
		call("contextOf", CONTEXT, ID);
		call("ibvAllocPd", PD, CONTEXT);
		call("ibvCreateCompChannel", CQ_CHANNEL, CONTEXT);
		call("ibvCreateCq", CQ, CONTEXT, 16, CQ_CHANNEL, 0);
		call("ibvRegMr", new MemoryRegionData(MR, 0, 0, 0, 0), PD, ByteBuffer.allocate(0), 0);
		call("ibvCreateSrq", SRQ, PD, 16, 1);
		QueuePairCapabilities capabilities = new QueuePairCapabilities(1, 1, 1, 1, 0);
		call("rdmaCreateQp", new CreatedQueuePair(QP, 7, capabilities), ID, PD,
				new QueuePairInit(CQ, CQ, SRQ, capabilities, QueuePairType.RC, false));
		call("ibvCreateAh", AH, PD, null);
		call("rdmaConnect", null, ID, null);
	}

	// What is found here is meant to be.
	@AfterEach
	void forgetViolations() {
		CallOrder.takeViolations();
	}

	private void call(String method, Object result, Object... arguments) {
		this.order.returned(this.order.begin(method, arguments), result);
	}

	private void fail(String method, Object... arguments) {
		this.order.failed(this.order.begin(method, arguments));
	}

	private void freeAll() {
		call("rdmaDestroyId", null, LISTENER);
		call("rdmaDisconnect", null, ID);
		call("rdmaDestroyQp", null, ID);
		call("ibvDestroyAh", null, AH);
		call("ibvDeregMr", null, MR);
		call("ibvDestroySrq", null, SRQ);
		call("ibvDestroyCq", null, CQ);
		call("ibvDestroyCompChannel", null, CQ_CHANNEL);
		call("ibvDeallocPd", null, PD);
		call("rdmaDestroyId", null, ID);
		call("rdmaDestroyEventChannel", null, CHANNEL);
		call("destroyWaker", null, WAKER);
	}

	private void found(String... violations) {
		assertThat(this.order.violations()).containsExactlyInAnyOrder(violations);
	}

	@Test
	void theRightOrderIsFine() {
		freeAll();
		found();
		assertThat(this.order.left()).isEmpty();
		assertThat(CallOrder.takeViolations()).isEmpty();
	}

	@Test
	void whatIsFoundIsToldToTheTestWithItsCalls() {
		call("rdmaDestroyEventChannel", null, CHANNEL);
		assertThat(CallOrder.takeViolations()).hasSize(2)
			.allSatisfy((violation) -> assertThat(violation)
				.contains("rdmaDestroyEventChannel before its CM id on " + Thread.currentThread().getName())
				.contains("CallOrderTests"));
		assertThat(CallOrder.takeViolations()).isEmpty();
	}

	@Test
	void whatIsNotFreedIsLeft() {
		assertThat(this.order.left()).containsExactlyInAnyOrder("event channel 10", "waker 5", "CM id 21", "CM id 20",
				"protection domain 30", "completion channel 40", "completion queue 41", "memory region 60",
				"shared receive queue 70", "queue pair 50", "address handle 80");
	}

	@Test
	void theQueuePairGoesBeforeAllThatItUses() {
		call("rdmaDisconnect", null, ID);
		call("ibvDestroyCq", null, CQ);
		call("ibvDestroySrq", null, SRQ);
		found("ibvDestroyCq before its queue pair", "ibvDestroySrq before its queue pair");
	}

	@Test
	void theQueuePairGoesBeforeItsId() {
		call("rdmaDisconnect", null, ID);
		call("rdmaDestroyId", null, ID);
		assertThat(this.order.violations()).contains("rdmaDestroyId before its queue pair");
	}

	@Test
	void theDomainGoesAfterAllThatIsInIt() {
		call("ibvDeallocPd", null, PD);
		found("ibvDeallocPd before its queue pair", "ibvDeallocPd before its memory region",
				"ibvDeallocPd before its shared receive queue", "ibvDeallocPd before its address handle");
	}

	@Test
	void theCompletionChannelGoesAfterItsQueues() {
		call("ibvDestroyCompChannel", null, CQ_CHANNEL);
		found("ibvDestroyCompChannel before its completion queue");
	}

	@Test
	void anObjectWhoseDestroyHasNotReturnedIsStillThere() {
		call("rdmaDisconnect", null, ID);
		Call destroy = this.order.begin("rdmaDestroyQp", ID);
		call("ibvDestroySrq", null, SRQ);
		this.order.returned(destroy, null);
		call("ibvDestroyCq", null, CQ);
		found("ibvDestroySrq before its queue pair");
	}

	@Test
	void nothingWaitsForAnObjectThatCouldNotBeFreed() {
		call("rdmaDisconnect", null, ID);
		fail("rdmaDestroyQp", ID);
		call("ibvDestroySrq", null, SRQ);
		fail("ibvDestroyCq", CQ);
		call("ibvDestroyCompChannel", null, CQ_CHANNEL);
		found();
	}

	@Test
	void whatCouldNotBeFreedIsNotFreedAgain() {
		fail("ibvDeregMr", MR);
		call("ibvDeregMr", null, MR);
		found("ibvDeregMr on 60, which could not be destroyed before");
	}

	@Test
	void nothingIsUsedAfterItWasDestroyed() {
		call("ibvDestroyAh", null, AH);
		call("ibvDestroyAh", null, AH);
		SendWorkRequest first = new SendWorkRequest(1);
		SendWorkRequest second = new SendWorkRequest(1);
		first.next = second;
		second.ah = AH;
		call("ibvPostSend", 0, QP, first);
		found("ibvDestroyAh on 80, which was destroyed", "ibvPostSend with an address handle that was destroyed");
	}

	@Test
	void aHandleMayStandForAnotherObjectOnceItsFirstOneIsGone() {
		call("ibvDestroyAh", null, AH);
		call("ibvRegMr", new MemoryRegionData(AH, 0, 0, 0, 0), PD, ByteBuffer.allocate(0), 0);
		call("ibvDeregMr", null, AH);
		found();
	}

	@Test
	void aHandleMayStandForAnotherObjectBeforeTheDestroyOfItsFirstOneHasReturned() {
		Call destroy = this.order.begin("ibvDestroyAh", AH);
		call("ibvCreateAh", AH, PD, null);
		this.order.returned(destroy, null);
		assertThat(this.order.left()).contains("address handle 80");
		call("ibvDestroyAh", null, AH);
		found();
	}

	@Test
	void aConnectionIsDisconnectedBeforeItsQueuePairGoes() {
		call("rdmaDestroyQp", null, ID);
		found("rdmaDestroyQp of a connection before rdmaDisconnect");
	}

	@Test
	void idsAloneNeedNoDisconnect() {
		CallOrder ids = CallOrder.ofIds(false);
		QueuePairCapabilities capabilities = new QueuePairCapabilities(1, 1, 1, 1, 0);
		ids.returned(ids.begin("rdmaCreateId", CHANNEL, PortSpace.TCP), ID);
		ids.returned(
				ids.begin("rdmaCreateQp", ID, PD, new QueuePairInit(CQ, CQ, 0, capabilities, QueuePairType.RC, false)),
				new CreatedQueuePair(QP, 7, capabilities));
		ids.returned(ids.begin("rdmaConnect", ID, null), null);
		ids.returned(ids.begin("rdmaDestroyQp", ID), null);
		assertThat(ids.violations()).isEmpty();
	}

	@Test
	void whatATestToleratesIsNotFound() {
		CallOrder.tolerate("rdmaDestroyQp of a connection before rdmaDisconnect");
		call("rdmaDestroyQp", null, ID);
		found();
		CallOrder.tolerateNothing();
		call("rdmaDestroyQp", null, ID);
		found("rdmaDestroyQp of an id without a queue pair");
	}

	@Test
	void aDisconnectThatFailsIsEnough() {
		fail("rdmaDisconnect", ID);
		call("rdmaDestroyQp", null, ID);
		found();
	}

	@Test
	void aQueuePairThatNeverHadAConnectionNeedsNoDisconnect() {
		call("rdmaDisconnect", null, ID);
		call("rdmaDestroyQp", null, ID);
		call("rdmaCreateId", 22L, CHANNEL, PortSpace.TCP);
		call("rdmaCreateQp", new CreatedQueuePair(51, 8, new QueuePairCapabilities(1, 1, 1, 1, 0)), 22L, PD,
				new QueuePairInit(CQ, CQ, 0, new QueuePairCapabilities(1, 1, 1, 1, 0), QueuePairType.RC, false));
		fail("rdmaConnect", 22L, null);
		call("rdmaDestroyQp", null, 22L);
		found();
	}

	@Test
	void anAcceptedConnectionIsDisconnectedToo() {
		call("rdmaGetCmEvent", event(CmEventType.CONNECT_REQUEST, 23, LISTENER), CHANNEL);
		call("rdmaAckCmEvent", null, EVENT);
		call("rdmaCreateQp", new CreatedQueuePair(51, 8, new QueuePairCapabilities(1, 1, 1, 1, 0)), 23L, PD,
				new QueuePairInit(CQ, CQ, 0, new QueuePairCapabilities(1, 1, 1, 1, 0), QueuePairType.RC, false));
		call("rdmaAccept", null, 23L, null);
		call("rdmaDestroyQp", null, 23L);
		found("rdmaDestroyQp of a connection before rdmaDisconnect");
	}

	@Test
	void nothingIsPostedAfterADisconnect() {
		call("ibvPostSend", 0, QP, new SendWorkRequest(1));
		call("ibvPostRecv", 0, QP, new ReceiveWorkRequest(1));
		found();
		call("rdmaDisconnect", null, ID);
		call("ibvPostSend", 0, QP, new SendWorkRequest(1));
		call("ibvPostRecv", 0, QP, new ReceiveWorkRequest(1));
		found("ibvPostSend after this side had ended the use of the queue pair",
				"ibvPostRecv after this side had ended the use of the queue pair");
	}

	@Test
	void nothingIsPostedAfterTheQueuePairWasMovedToTheErrorState() {
		call("ibvModifyQp", null, QP, QueuePairAttributes.ofMinRnrTimer(1));
		call("ibvPostRecv", 0, QP, new ReceiveWorkRequest(1));
		found();
		call("ibvModifyQp", null, QP, QueuePairAttributes.ofState(QueuePairState.ERR));
		call("ibvPostRecv", 0, QP, new ReceiveWorkRequest(1));
		found("ibvPostRecv after this side had ended the use of the queue pair");
	}

	@Test
	void allThatIsOnADeviceGoesBeforeTheLastIdOnIt() {
		call("rdmaDisconnect", null, ID);
		call("rdmaDestroyQp", null, ID);
		call("ibvDestroyAh", null, AH);
		call("ibvDestroySrq", null, SRQ);
		call("rdmaDestroyId", null, ID);
		found("rdmaDestroyId of the last id of a device before its protection domain",
				"rdmaDestroyId of the last id of a device before its completion channel",
				"rdmaDestroyId of the last id of a device before its completion queue",
				"rdmaDestroyId of the last id of a device before its memory region");
	}

	@Test
	void anIdMayGoBeforeWhatIsOnItsDeviceWhileAnotherOneIsOnIt() {
		call("rdmaCreateId", 22L, CHANNEL, PortSpace.TCP);
		call("contextOf", CONTEXT, 22L);
		call("rdmaDestroyId", null, 22L);
		found();
	}

	@Test
	void everyEventOfACompletionQueueIsAcknowledgedOnce() {
		call("ibvGetCqEvent", CQ, CQ_CHANNEL);
		call("ibvGetCqEvent", 0L, CQ_CHANNEL);
		call("ibvAckCqEvents", null, CQ, 1);
		found();
		call("ibvAckCqEvents", null, CQ, 1);
		found("ibvAckCqEvents of more events than were fetched");
	}

	@Test
	void anAcknowledgementThatFailedIsMadeAgain() {
		call("ibvGetCqEvent", CQ, CQ_CHANNEL);
		fail("ibvAckCqEvents", CQ, 1);
		call("ibvAckCqEvents", null, CQ, 1);
		found();
	}

	@Test
	void aThreadThatDestroysACompletionQueueLeavesNoEventOfItUnacknowledged() {
		call("ibvGetCqEvent", CQ, CQ_CHANNEL);
		call("rdmaDisconnect", null, ID);
		call("rdmaDestroyQp", null, ID);
		call("ibvDestroyCq", null, CQ);
		found("ibvDestroyCq with an event that is not acknowledged",
				"ibvDestroyCq returned with an event that is not acknowledged");
	}

	@Test
	void anEventOfACompletionQueueMayBeAcknowledgedByAnotherThreadWhileItsDestroyWaits() throws Exception {
		onAnotherThread(() -> call("ibvGetCqEvent", CQ, CQ_CHANNEL));
		call("rdmaDisconnect", null, ID);
		call("rdmaDestroyQp", null, ID);
		Call destroy = this.order.begin("ibvDestroyCq", CQ);
		onAnotherThread(() -> call("ibvAckCqEvents", null, CQ, 1));
		this.order.returned(destroy, null);
		found();
	}

	@Test
	void everyEventOfAnIdIsAcknowledgedOnce() {
		call("rdmaGetCmEvent", event(CmEventType.DISCONNECTED, ID, 0), CHANNEL);
		call("rdmaAckCmEvent", null, EVENT);
		found();
		call("rdmaAckCmEvent", null, EVENT);
		found("rdmaAckCmEvent twice, or of no event that was fetched");
	}

	@Test
	void aThreadThatDestroysAnIdLeavesNoEventOfItUnacknowledged() throws Exception {
		onAnotherThread(() -> call("rdmaGetCmEvent", event(CmEventType.CONNECT_REQUEST, 23, LISTENER), CHANNEL));
		Call destroy = this.order.begin("rdmaDestroyId", LISTENER);
		this.order.failed(destroy);
		found();
		call("rdmaAckCmEvent", null, EVENT);
		call("rdmaGetCmEvent", event(CmEventType.DISCONNECTED, 23, 0), CHANNEL);
		call("rdmaDestroyId", null, 23L);
		found("rdmaDestroyId with an event that is not acknowledged");
	}

	@Test
	void anIdIsMovedWithoutAnEventThatIsNotAcknowledged() throws Exception {
		onAnotherThread(() -> call("rdmaGetCmEvent", event(CmEventType.DISCONNECTED, ID, 0), CHANNEL));
		call("rdmaMigrateId", null, ID, CHANNEL);
		found("rdmaMigrateId with an event that is not acknowledged, for which it waits");
	}

	@Test
	void groupsAreLeftBeforeTheirQueuePairGoes() {
		call("rdmaDisconnect", null, ID);
		call("rdmaJoinMulticast", null, ID, GROUP);
		call("rdmaDestroyQp", null, ID);
		found("rdmaDestroyQp before its multicast groups were left");
	}

	@Test
	void theEventChannelGoesAfterTheIdsThatWereMovedToIt() {
		call("rdmaCreateEventChannel", 11L);
		call("rdmaMigrateId", null, LISTENER, 11L);
		call("rdmaDestroyEventChannel", null, 11L);
		call("rdmaDestroyEventChannel", null, CHANNEL);
		found("rdmaDestroyEventChannel before its CM id", "rdmaDestroyEventChannel before its CM id");
		assertThat(this.order.violations()).hasSize(2);
	}

	@Test
	void aStopInTheRightOrderIsFine() {
		StopPlan plan = StopPlan.begin(Thread.currentThread());
		freeAll();
		plan.end();
		found();
		assertThat(plan.violations()).isEmpty();
		assertThat(CallOrder.takeViolations()).isEmpty();
	}

	@Test
	void atAStopListenersGoBeforeConnectionsAreDisconnected() {
		StopPlan plan = StopPlan.begin(Thread.currentThread());
		call("rdmaDisconnect", null, ID);
		call("rdmaDestroyId", null, LISTENER);
		plan.end();
		assertThat(plan.violations()).singleElement().asString().contains("rdmaDestroyId", "LISTENERS", "DISCONNECT");
		assertThat(CallOrder.takeViolations()).isEqualTo(plan.violations());
	}

	@Test
	void atAStopAllAreDisconnectedBeforeTheFirstQueuePairGoes() throws Exception {
		call("rdmaCreateId", 22L, CHANNEL, PortSpace.TCP);
		StopPlan plan = StopPlan.begin(Thread.currentThread());
		call("rdmaDisconnect", null, ID);
		// The threads that carry out the stop are made by the one that conducts it.
		onAnotherThread(() -> call("rdmaDestroyQp", null, ID));
		onAnotherThread(() -> call("rdmaDisconnect", null, 22L));
		plan.end();
		assertThat(plan.violations()).singleElement()
			.asString()
			.contains("rdmaDisconnect", "DISCONNECT", "QUEUE_PAIRS");
	}

	@Test
	void atAStopAllQueuePairsGoBeforeWhatTheyUseAndThatBeforeTheIds() {
		call("rdmaCreateId", 22L, CHANNEL, PortSpace.TCP);
		call("rdmaCreateQp", new CreatedQueuePair(51, 8, new QueuePairCapabilities(1, 1, 1, 1, 0)), 22L, PD,
				new QueuePairInit(CQ, CQ, 0, new QueuePairCapabilities(1, 1, 1, 1, 0), QueuePairType.RC, false));
		StopPlan plan = StopPlan.begin(Thread.currentThread());
		call("rdmaDisconnect", null, ID);
		call("rdmaDestroyQp", null, ID);
		call("ibvDeregMr", null, MR);
		call("rdmaDestroyQp", null, 22L);
		call("rdmaDestroyId", null, 22L);
		call("ibvDestroyAh", null, AH);
		plan.end();
		assertThat(plan.violations()).hasSize(2)
			.anySatisfy((violation) -> assertThat(violation).contains("rdmaDestroyQp", "VERBS"))
			.anySatisfy((violation) -> assertThat(violation).contains("ibvDestroyAh", "IDS"));
	}

	@Test
	void nothingIsExpectedOfAStopThatGaveACallUp() {
		StopPlan plan = StopPlan.begin(Thread.currentThread());
		call("rdmaDisconnect", null, ID);
		call("rdmaDestroyId", null, LISTENER);
		plan.gaveUp();
		plan.end();
		assertThat(CallOrder.takeViolations()).isEmpty();
	}

	@Test
	void othersMayEndAConnectionDuringAStop() throws Exception {
		CompletableFuture<Void> started = new CompletableFuture<>();
		Thread other = new Thread(() -> {
			started.join();
			call("rdmaDisconnect", null, ID);
			call("rdmaDestroyQp", null, ID);
		});
		other.start();
		StopPlan plan = StopPlan.begin(Thread.currentThread());
		started.complete(null);
		other.join(TimeUnit.SECONDS.toMillis(10));
		call("rdmaDestroyId", null, LISTENER);
		plan.end();
		found();
		assertThat(plan.violations()).isEmpty();
	}

	private static CmEventData event(CmEventType type, long id, long listener) {
		return new CmEventData(EVENT, type.value(), 0, id, listener, new byte[0], 0, 0, 0, 0, null, 0);
	}

	private static void onAnotherThread(Runnable task) throws InterruptedException {
		Thread thread = new Thread(task);
		thread.start();
		thread.join();
	}

}
