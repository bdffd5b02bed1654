package io.github.rdmaboot.verbs;

import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import com.sun.management.ThreadMXBean;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.QueuePairType;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mockito.Mockito;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link CompletionQueue} and the threads that serve it. Completions are made
 * by posting to a queue pair in the error state, which flushes them at once.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CompletionQueueTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final CallOrder order = new CallOrder();

	private final FaultingProvider faulting = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), this.order);

	private final BlockingQueue<Long> taken = new LinkedBlockingQueue<>();

	@AfterEach
	void objectsWereFreedInOrder() {
		assertThat(this.order.violations()).isEmpty();
		assertThat(this.order.left()).isEmpty();
	}

	private static CompletionPolicy policy(CompletionMode mode) {
		return new CompletionPolicy(mode, Duration.ofMillis(1), null);
	}

	private static DeviceLease lease(RdmaProvider provider) {
		return new Devices(provider, "test", new MemoryPoolLimits(4096, 4096, 64))
			.acquire(provider.rdmaGetDevices().handles()[0]);
	}

	private static long failedQueuePair(RdmaProvider provider, Device device, CompletionQueue queue) {
		QueuePairInit init = new QueuePairInit(queue.handle(), queue.handle(), 0,
				new QueuePairCapabilities(64, 1, 1, 1, 0), QueuePairType.RC, true);
		long qp = provider.ibvCreateQp(device.pd(), init).qp();
		provider.ibvModifyQp(qp,
				new QueuePairAttributes(
						QueuePairAttributes.STATE | QueuePairAttributes.PKEY_INDEX | QueuePairAttributes.PORT
								| QueuePairAttributes.ACCESS_FLAGS,
						QueuePairState.INIT, QueuePairState.UNKNOWN, 0, 0, 0, 0, 0, 0, null, null, 0, 0, 0, 0, 1, 0, 0,
						0));
		provider.ibvModifyQp(qp, QueuePairAttributes.ofState(QueuePairState.ERR));
		return qp;
	}

	private static SendWorkRequest request(long number) {
		SendWorkRequest request = new SendWorkRequest(1);
		request.wrId = number;
		request.opcode = WorkRequestOpcode.SEND.value();
		return request;
	}

	private void expect(long number) throws InterruptedException {
		assertThat(this.taken.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("completion").isEqualTo(number);
	}

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	void completionsAreTakenOneByOneAndInBatches(CompletionMode mode) throws Exception {
		RdmaProvider provider = this.faulting.provider();
		DeviceLease lease = lease(provider);
		CompletionQueue queue = CompletionQueue.create(lease.device(), policy(mode), 100,
				(completion) -> this.taken.add(completion.wrId), (failure) -> this.taken.add(-1L));
		long qp = failedQueuePair(provider, lease.device(), queue);
		for (long i = 0; i < 20; i++) {
			provider.ibvPostSend(qp, request(i));
			expect(i);
		}
		SendWorkRequest first = request(20);
		SendWorkRequest last = first;
		for (long i = 21; i < 60; i++) {
			last.next = request(i);
			last = last.next;
		}
		assertThat(provider.ibvPostSend(qp, first)).isZero();
		for (long i = 20; i < 60; i++) {
			expect(i);
		}
		provider.ibvDestroyQp(qp);
		queue.close();
		queue.close();
		lease.release();
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POLL")
	void whatCompletesJustBeforeTheQueueIsArmedIsTakenWithoutAnEvent(CompletionMode mode) throws Exception {
		RdmaProvider provider = this.faulting.provider();
		AtomicReference<Runnable> beforeArming = new AtomicReference<>();
		DeviceLease lease = lease(beforeArming(provider, beforeArming));
		CompletionQueue queue = CompletionQueue.create(lease.device(), policy(mode), 100,
				(completion) -> this.taken.add(completion.wrId), (failure) -> this.taken.add(-1L));
		long qp = failedQueuePair(provider, lease.device(), queue);
		beforeArming.set(() -> provider.ibvPostSend(qp, request(2)));
		provider.ibvPostSend(qp, request(1));
		expect(1);
		expect(2);
		provider.ibvDestroyQp(qp);
		queue.close();
		lease.release();
	}

	private static RdmaProvider beforeArming(RdmaProvider target, AtomicReference<Runnable> once) {
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, (proxy, method, arguments) -> {
					Runnable first = method.getName().equals("ibvReqNotifyCq") ? once.getAndSet(null) : null;
					if (first != null) {
						first.run();
					}
					try {
						return method.invoke(target, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	void anErrorOfACallIsToldAsAFailureIs(CompletionMode mode) throws Exception {
		RdmaProvider provider = this.faulting.provider();
		DeviceLease lease = lease(provider);
		CompletionQueue queue = CompletionQueue.create(lease.device(), policy(mode), 100,
				(completion) -> this.taken.add(completion.wrId), (failure) -> this.taken.add(-1L));
		long qp = failedQueuePair(provider, lease.device(), queue);
		AtomicInteger polls = this.faulting.counts().computeIfAbsent("ibvPollCq", (name) -> new AtomicInteger());
		// In the mode 'poll' the thread counts on meanwhile.
		int ahead = (mode == CompletionMode.POLL) ? 100_000 : 1;
		this.faulting.inject(new Fault("ibvPollCq", polls.get() + ahead, Kind.ERROR, 0));
		if (mode != CompletionMode.POLL) {
			assertThat(provider.ibvPostSend(qp, request(1))).isZero();
		}
		expect(-1);
		provider.ibvDestroyQp(qp);
		queue.close();
		lease.release();
	}

	@ParameterizedTest
	@EnumSource(value = CompletionMode.class, names = "POLL", mode = EnumSource.Mode.EXCLUDE)
	void anEventThatCannotBeAcknowledgedKeepsNeitherCompletionsNorTheDestroy(CompletionMode mode) throws Exception {
		RdmaProvider provider = this.faulting.provider();
		DeviceLease lease = lease(provider);
		CompletionQueue queue = CompletionQueue.create(lease.device(), policy(mode), 100,
				(completion) -> this.taken.add(completion.wrId), (failure) -> this.taken.add(-1L));
		long qp = failedQueuePair(provider, lease.device(), queue);
		this.faulting.inject(new Fault("ibvAckCqEvents", 1, Kind.ERROR, 0));
		for (long i = 0; i < 5; i++) {
			assertThat(provider.ibvPostSend(qp, request(i))).isZero();
			expect(i);
		}
		assertThat(this.faulting.isInjected()).isTrue();
		provider.ibvDestroyQp(qp);
		queue.close();
		lease.release();
	}

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	void closeDoesNotWaitForAHandler(CompletionMode mode) throws Exception {
		RdmaProvider provider = this.faulting.provider();
		DeviceLease lease = lease(provider);
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch leave = new CountDownLatch(1);
		AtomicInteger handled = new AtomicInteger();
		CompletionQueue queue = CompletionQueue.create(lease.device(), policy(mode), 100, (completion) -> {
			entered.countDown();
			awaitOpen(leave);
			handled.incrementAndGet();
		}, (failure) -> this.taken.add(-1L));
		long qp = failedQueuePair(provider, lease.device(), queue);
		SendWorkRequest first = request(1);
		first.next = request(2);
		assertThat(provider.ibvPostSend(qp, first)).isZero();
		awaitOpen(entered);
		provider.ibvDestroyQp(qp);
		queue.close();
		assertThat(this.faulting.counts().get("ibvDestroyCq")).as("destroys while the handler runs").hasValue(1);
		leave.countDown();
		await().atMost(PATIENCE).until(() -> handled.get() == 2);
		lease.release();
		assertThat(this.taken).as("failures").isEmpty();
	}

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	void threadThatLooksForCompletionsIsNotHeldByThoseWhoKeepTheQueueFull(CompletionMode mode) throws Exception {
		RdmaProvider provider = this.faulting.provider();
		DeviceLease lease = lease(provider);
		KeepingFull handler = new KeepingFull(provider);
		CompletionQueue queue = CompletionQueue.create(lease.device(), policy(mode), 100, handler,
				(failure) -> this.taken.add(-1L));
		handler.qp = failedQueuePair(provider, lease.device(), queue);
		CompletableFuture<Integer> looks = CompletableFuture.supplyAsync(() -> {
			int count = 0;
			while (count < 3 && !handler.ended) {
				if (queue.poll()) {
					count++;
				}
			}
			return count;
		});
		handler.start();

		assertThat(looks.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(3);
		await().atMost(PATIENCE).until(() -> handler.handled.get() > 10_000);
		handler.ended = true;
		await().atMost(PATIENCE).until(() -> handler.handled.get() == handler.posted.get());

		provider.ibvDestroyQp(handler.qp);
		queue.close();
		lease.release();
		assertThat(this.taken).as("failures").isEmpty();
	}

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	void queueThatIsKeptFullLeavesTheThreadToTheOthers(CompletionMode mode) throws Exception {
		RdmaProvider provider = this.faulting.provider();
		DeviceLease lease = lease(provider);
		KeepingFull first = new KeepingFull(provider);
		KeepingFull second = new KeepingFull(provider);
		CompletionQueue firstQueue = CompletionQueue.create(lease.device(), policy(mode), 100, first,
				(failure) -> this.taken.add(-1L));
		CompletionQueue secondQueue = CompletionQueue.create(lease.device(), policy(mode), 100, second,
				(failure) -> this.taken.add(-1L));
		first.qp = failedQueuePair(provider, lease.device(), firstQueue);
		second.qp = failedQueuePair(provider, lease.device(), secondQueue);
		first.start();
		second.start();

		await().atMost(PATIENCE).until(() -> first.handled.get() > 1000 && second.handled.get() > 1000);

		first.ended = true;
		second.ended = true;
		await().atMost(PATIENCE).until(() -> first.handled.get() == first.posted.get());
		await().atMost(PATIENCE).until(() -> second.handled.get() == second.posted.get());
		provider.ibvDestroyQp(first.qp);
		provider.ibvDestroyQp(second.qp);
		firstQueue.close();
		secondQueue.close();
		lease.release();
		assertThat(this.taken).as("failures").isEmpty();
	}

	private static void awaitOpen(CountDownLatch latch) {
		try {
			assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@ParameterizedTest
	@EnumSource(value = CompletionMode.class, names = { "EVENT", "ADAPTIVE" })
	void queueThatFailsIsNotTheEndOfThoseThatWereLeftBeforeIt(CompletionMode mode) throws Exception {
		RdmaProvider provider = this.faulting.provider();
		DeviceLease lease = lease(provider);
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch leave = new CountDownLatch(1);
		CompletionQueue holding = CompletionQueue.create(lease.device(), policy(mode), 100, (completion) -> {
			entered.countDown();
			awaitOpen(leave);
		}, (failure) -> this.taken.add(-1L));
		CompletionQueue failing = CompletionQueue.create(lease.device(), policy(mode), 100,
				(completion) -> this.taken.add(-2L), (failure) -> this.taken.add(-3L));
		CompletionQueue waiting = CompletionQueue.create(lease.device(), policy(mode), 100,
				(completion) -> this.taken.add(completion.wrId), (failure) -> this.taken.add(-4L));
		waiting.notifyWhile(() -> false);
		long holdingPair = failedQueuePair(provider, lease.device(), holding);
		long waitingPair = failedQueuePair(provider, lease.device(), waiting);
		provider.ibvPostSend(waitingPair, request(7));
		await().atMost(PATIENCE).until(() -> this.faulting.counts().containsKey("ibvAckCqEvents"));
		provider.ibvPostSend(holdingPair, request(1));
		awaitOpen(entered);

		waiting.notifyWhile(() -> true);
		failing.notifyWhile(() -> {
			throw new IllegalStateException("expected");
		});
		CompletionPoller poller = lease.device().poller(policy(mode));
		poller.goOn(waiting);
		poller.goOn(failing);
		leave.countDown();

		expect(7);
		provider.ibvDestroyQp(holdingPair);
		provider.ibvDestroyQp(waitingPair);
		holding.close();
		failing.close();
		waiting.close();
		lease.release();
		assertThat(this.taken).as("failures").isEmpty();
	}

	@Test
	void closeWaitsForAPollThatIsInProgress() throws Exception {
		RdmaProvider provider = this.faulting.provider();
		DeviceLease lease = lease(provider);
		CompletionQueue queue = CompletionQueue.create(lease.device(), policy(CompletionMode.POLL), 100,
				(completion) -> this.taken.add(completion.wrId), (failure) -> this.taken.add(-1L));
		await().atMost(PATIENCE).until(() -> this.faulting.counts().containsKey("ibvPollCq"));
		int soon = this.faulting.counts().get("ibvPollCq").get() + 10_000;
		this.faulting.inject(new Fault("ibvPollCq", soon, Kind.BLOCK, 0));
		await().atMost(PATIENCE).until(this.faulting::isInjected);
		Thread closer = new Thread(queue::close, "closer");
		closer.start();
		closer.join(50);
		assertThat(closer.isAlive()).as("close waits for the poll").isTrue();
		assertThat(this.faulting.counts()).doesNotContainKey("ibvDestroyCq");
		this.faulting.release();
		closer.join(PATIENCE.toMillis());
		assertThat(closer.isAlive()).as("close goes on after the poll").isFalse();
		lease.release();
	}

	@Test
	void whoeverIsInArmsTheQueueForAThreadThatComesMeanwhile() throws Exception {
		RdmaProvider provider = this.faulting.provider();
		DeviceLease lease = lease(provider);
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch leave = new CountDownLatch(1);
		CompletionQueue queue = CompletionQueue.create(lease.device(), policy(CompletionMode.EVENT), 100,
				(completion) -> {
					if (completion.wrId == 1) {
						entered.countDown();
						awaitOpen(leave);
					}
					this.taken.add(completion.wrId);
				}, (failure) -> this.taken.add(-1L));
		CompletionQueue open = openQueue(lease);
		queue.notifyWhile(() -> false);
		long qp = failedQueuePair(provider, lease.device(), queue);
		provider.ibvPostSend(qp, request(1));
		Thread other = new Thread(queue::poll, "other");
		other.start();
		awaitOpen(entered);
		await().atMost(PATIENCE).until(() -> this.faulting.counts().containsKey("ibvAckCqEvents"));
		queue.notifyWhile(() -> true);
		assertThat(queue.armAndTake()).as("nothing taken while another thread is in").isFalse();
		provider.ibvPostSend(qp, request(2));
		leave.countDown();
		expect(1);
		expect(2);
		provider.ibvPostSend(qp, request(3));
		expect(3);
		other.join();
		provider.ibvDestroyQp(qp);
		queue.close();
		open.close();
		lease.release();
	}

	@Test
	void eventOfAQueueThatExpectsNothingLeadsToNoPoll() throws Exception {
		RdmaProvider provider = this.faulting.provider();
		DeviceLease lease = lease(provider);
		CompletionQueue queue = CompletionQueue.create(lease.device(), policy(CompletionMode.EVENT), 100,
				(completion) -> this.taken.add(completion.wrId), (failure) -> this.taken.add(-1L));
		CompletionQueue open = openQueue(lease);
		queue.notifyWhile(() -> false);
		long qp = failedQueuePair(provider, lease.device(), queue);
		provider.ibvPostSend(qp, request(1));
		await().atMost(PATIENCE).until(() -> this.faulting.counts().containsKey("ibvAckCqEvents"));
		assertThat(this.faulting.counts()).doesNotContainKey("ibvPollCq");
		queue.poll();
		expect(1);
		provider.ibvDestroyQp(qp);
		queue.close();
		open.close();
		lease.release();
	}

	// One that expects completions, so that the thread looks for events.
	private CompletionQueue openQueue(DeviceLease lease) {
		return CompletionQueue.create(lease.device(), policy(CompletionMode.EVENT), 100,
				(completion) -> this.taken.add(-1L), (failure) -> this.taken.add(-1L));
	}

	@Test
	void eventsAreNotFetchedWhenNoQueueExpectsCompletions() throws Exception {
		RdmaProvider provider = this.faulting.provider();
		DeviceLease lease = lease(provider);
		CompletionQueue queue = openQueue(lease);
		queue.notifyWhile(() -> false);
		long qp = failedQueuePair(provider, lease.device(), queue);
		provider.ibvPostSend(qp, request(1));
		int waits = waitsForEvents();
		await().atMost(PATIENCE).until(() -> waitsForEvents() > waits + 2);
		assertThat(this.faulting.counts()).doesNotContainKeys("ibvGetCqEvent", "ibvAckCqEvents", "ibvPollCq");

		CompletionQueue next = CompletionQueue.create(lease.device(), policy(CompletionMode.EVENT), 100,
				(completion) -> this.taken.add(completion.wrId), (failure) -> this.taken.add(-1L));
		long nextPair = failedQueuePair(provider, lease.device(), next);
		provider.ibvPostSend(nextPair, request(2));
		expect(2);

		provider.ibvDestroyQp(qp);
		provider.ibvDestroyQp(nextPair);
		queue.close();
		next.close();
		lease.release();
		assertThat(this.taken).as("failures").isEmpty();
	}

	private int waitsForEvents() {
		AtomicInteger waits = this.faulting.counts().get("awaitCqEvent");
		return (waits != null) ? waits.get() : 0;
	}

	@Test
	void eventsAreFetchedAsLongAsAClosingQueueExpectsCompletions() throws Exception {
		RdmaProvider provider = this.faulting.provider();
		DeviceLease lease = lease(provider);
		CompletionQueue queue = CompletionQueue.create(lease.device(), policy(CompletionMode.EVENT), 100,
				(completion) -> this.taken.add(completion.wrId), (failure) -> this.taken.add(-1L));
		queue.notifyWhile(() -> true);
		long qp = failedQueuePair(provider, lease.device(), queue);
		provider.ibvPostSend(qp, request(1));
		expect(1);
		provider.ibvDestroyQp(qp);
		queue.close();
		lease.release();
	}

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	void takingCompletionsAllocatesNothing(CompletionMode mode) throws Exception {
		// As other tests in the same JVM do: it makes Object.equals take memory.
		assertThat(Mockito.mock(Bystander.class)).isNotNull();
		RdmaProvider provider = new LoopbackRdmaProvider(this.fabric);
		DeviceLease lease = lease(provider);
		SelfPosting handler = new SelfPosting(provider);
		CompletionQueue queue = CompletionQueue.create(lease.device(), policy(mode), 100, handler,
				(failure) -> this.taken.add(-1L));
		handler.qp = failedQueuePair(provider, lease.device(), queue);
		provider.ibvPostSend(handler.qp, handler.request);
		awaitOpen(handler.ended);
		provider.ibvDestroyQp(handler.qp);
		queue.close();
		lease.release();
		assertThat(this.taken).as("failures").isEmpty();
		assertThat(handler.perCompletion()).as("bytes allocated for each completion").isLessThan(handler.perPost() + 1);
	}

	/**
	 * Posts a request for each that completes, so that there are always more than a batch
	 * in the queue.
	 */
	private static final class KeepingFull implements CompletionHandler {

		private static final int AT_A_TIME = 40;

		private final RdmaProvider provider;

		private final AtomicInteger posted = new AtomicInteger();

		private final AtomicInteger handled = new AtomicInteger();

		private volatile boolean ended;

		private volatile long qp;

		private KeepingFull(RdmaProvider provider) {
			this.provider = provider;
		}

		void start() {
			for (int i = 0; i < AT_A_TIME; i++) {
				post();
			}
		}

		private void post() {
			this.posted.incrementAndGet();
			this.provider.ibvPostSend(this.qp, request(1));
		}

		@Override
		public void onCompletion(WorkCompletion completion) {
			if (!this.ended) {
				post();
			}
			this.handled.incrementAndGet();
		}

	}

	static class Bystander {

	}

	/**
	 * Posts the next request on the completion thread, so that no lock of the loopback is
	 * contended, and measures what that costs the loopback itself.
	 */
	private static final class SelfPosting implements CompletionHandler {

		private static final int WARM_UP = 20_000;

		private static final int MEASURED = 50_000;

		private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

		private final RdmaProvider provider;

		private final SendWorkRequest request = request(1);

		private final CountDownLatch ended = new CountDownLatch(1);

		private final AtomicLong inPosts = new AtomicLong();

		private volatile long qp;

		private int completions;

		private long begin;

		private volatile long total;

		private SelfPosting(RdmaProvider provider) {
			this.provider = provider;
		}

		@Override
		public void onCompletion(WorkCompletion completion) {
			this.completions++;
			if (this.completions == WARM_UP) {
				this.inPosts.set(0);
				this.begin = this.threads.getCurrentThreadAllocatedBytes();
			}
			if (this.completions == WARM_UP + MEASURED) {
				this.total = this.threads.getCurrentThreadAllocatedBytes() - this.begin;
				this.ended.countDown();
				return;
			}
			long before = this.threads.getCurrentThreadAllocatedBytes();
			this.provider.ibvPostSend(this.qp, this.request);
			this.inPosts.addAndGet(this.threads.getCurrentThreadAllocatedBytes() - before);
		}

		double perCompletion() {
			return (double) this.total / MEASURED;
		}

		double perPost() {
			return (double) this.inPosts.get() / MEASURED;
		}

	}

}
