package io.github.rdmaboot.verbs;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MemoryPoolTests {

	private static final int KB = 1024;

	private static final MemoryPoolLimits LIMITS = new MemoryPoolLimits(64 * KB, 256 * KB, 64);

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final CallOrder order = new CallOrder();

	private final FaultingProvider faulting = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), this.order);

	private final DeviceLease lease = openDevice();

	private final MemoryPool pool = this.lease.device().memoryPool();

	private DeviceLease openDevice() {
		long context = this.faulting.provider().rdmaGetDevices().handles()[0];
		return new Devices(this.faulting.provider(), "test", LIMITS).acquire(context);
	}

	@AfterEach
	void closeDevice() {
		this.lease.release();
		assertThat(this.order.violations()).isEmpty();
		assertThat(this.fabric.resources().memoryRegions()).as("regions left").isZero();
	}

	@Test
	void blocksAreAlignedAndOfTheSizeThatWasAskedFor() {
		for (int size : new int[] { 0, 1, 63, 64, 65, 5000 }) {
			MemoryBlock block = this.pool.allocate(size);
			assertThat(block.address() % 64).as("alignment of %d bytes", size).isZero();
			assertThat(block.length()).isEqualTo(size);
			assertThat(block.memory().capacity()).isEqualTo(size);
		}
	}

	@Test
	void manyBlocksCostFewRegistrations() {
		for (int i = 0; i < 1000; i++) {
			this.pool.allocate(128);
		}
		assertThat(this.pool.used()).isEqualTo(128_000);
		// 4 KB, and then each time as much as is in use: 8, 16, 32, 64 and 128 KB.
		assertThat(registrations()).isEqualTo(6);
		assertThat(this.pool.registered()).isEqualTo(128 * KB);
	}

	@Test
	void releasedMemoryIsLentAgainWithoutARegistration() {
		MemoryBlock first = this.pool.allocate(3 * KB);
		MemoryBlock second = this.pool.allocate(KB);
		long address = first.address();
		first.release();
		first.release();
		second.release();
		assertThat(this.pool.used()).isZero();
		assertThat(this.pool.allocate(4 * KB).address()).as("joined pieces").isEqualTo(address);
		assertThat(registrations()).isEqualTo(1);
	}

	@Test
	void blockLargerThanASlabGetsOneOfItsOwn() {
		MemoryBlock block = this.pool.allocate(200 * KB + 1);
		assertThat(block.memory().capacity()).isEqualTo(200 * KB + 1);
		assertThat(this.pool.registered()).isEqualTo(204 * KB);
	}

	@Test
	void boundIsNamedWhenItIsReachedAndWhatIsThereStaysOfUse() {
		List<MemoryBlock> blocks = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			blocks.add(this.pool.allocate(32 * KB));
		}
		assertThatExceptionOfType(MemoryPoolExhaustedException.class).isThrownBy(() -> this.pool.allocate(1))
			.withMessageContaining("262144 of 262144 registered bytes are in use")
			.withMessageContaining("rdma.memory.pool.max-size is 262144 bytes")
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.ENOMEM.value()));
		blocks.get(3).release();
		assertThat(this.pool.allocate(32 * KB).address()).isEqualTo(blocks.get(3).address());
	}

	@Test
	void slabsThatNobodyUsesMakeRoomForOneThatIsNeeded() {
		List<MemoryBlock> blocks = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			blocks.add(this.pool.allocate(32 * KB));
		}
		blocks.subList(1, 8).forEach(MemoryBlock::release);
		assertThat(this.pool.allocate(160 * KB).length()).isEqualTo(160 * KB);
		assertThat(this.pool.registered()).isLessThanOrEqualTo(LIMITS.maxSize());
		assertThat(this.fabric.resources().memoryRegions()).isLessThan(registrations());
	}

	@Test
	void limitOfLockedMemoryThatLeavesRoomForWhatIsNeededIsEnough() {
		this.pool.allocate(16 * KB);
		this.faulting.inject(new Fault("ibvRegMr", 2, Kind.FAIL, Errno.ENOMEM.value()));
		this.pool.allocate(4 * KB);
		assertThat(this.pool.registered()).isEqualTo(20 * KB);
	}

	@Test
	void registrationThatFailsLeavesThePoolAsItWas() {
		this.faulting.inject(new Fault("ibvRegMr", 1, Kind.FAIL, Errno.EPERM.value()));
		assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> this.pool.allocate(256 * KB))
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EPERM.value()));
		assertThat(this.pool.registered()).isZero();
		assertThat(this.pool.used()).isZero();
		assertThat(this.pool.allocate(256 * KB).length()).isEqualTo(256 * KB);
	}

	@Test
	void registrationThatIsStuckHoldsUpNobodyElse() throws Exception {
		this.faulting.inject(new Fault("ibvRegMr", 1, Kind.BLOCK, 0));
		Thread stuck = new Thread(() -> this.pool.allocate(KB), "stuck");
		stuck.start();
		while (!this.faulting.isInjected()) {
			Thread.onSpinWait();
		}
		this.pool.allocate(KB).release();
		this.faulting.release();
		stuck.join();
		assertThat(registrations()).isEqualTo(2);
	}

	@Test
	void memoryThatAnotherThreadIsRegisteringIsWaitedForBeforeTheBoundCountsAsReached() throws Exception {
		this.pool.allocate(64 * KB);
		this.pool.allocate(64 * KB);
		this.pool.allocate(64 * KB);
		this.faulting.inject(new Fault("ibvRegMr", 4, Kind.BLOCK, 0));
		FutureTask<MemoryBlock> first = new FutureTask<>(() -> this.pool.allocate(KB));
		new Thread(first, "first").start();
		while (!this.faulting.isInjected()) {
			Thread.onSpinWait();
		}
		FutureTask<MemoryBlock> second = new FutureTask<>(() -> this.pool.allocate(KB));
		Thread waiting = new Thread(second, "second");
		waiting.start();
		while (waiting.isAlive() && waiting.getState() != Thread.State.TIMED_WAITING) {
			Thread.onSpinWait();
		}
		this.faulting.release();
		assertThat(first.get().address()).isNotEqualTo(second.get().address());
		assertThat(registrations()).isEqualTo(4);
		assertThat(this.pool.registered()).isEqualTo(256 * KB);
	}

	@Test
	void registrationThatIsStuckDoesNotHoldUpForEverWhoNeedsItsMemory() throws Exception {
		this.pool.allocate(192 * KB);
		this.faulting.inject(new Fault("ibvRegMr", 2, Kind.BLOCK, 0));
		Thread stuck = new Thread(() -> this.pool.allocate(KB), "stuck");
		stuck.start();
		while (!this.faulting.isInjected()) {
			Thread.onSpinWait();
		}
		assertThatExceptionOfType(MemoryPoolExhaustedException.class).isThrownBy(() -> this.pool.allocate(KB))
			.withMessageContaining("max-size is 262144 bytes");
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(MemoryPoolExhaustedException.class).isThrownBy(() -> this.pool.allocate(KB));
		assertThat(Thread.interrupted()).as("interrupt that was kept").isTrue();
		this.faulting.release();
		stuck.join();
	}

	@Test
	void whoWaitsForMemoryLearnsThatTheDeviceWasGivenBack() throws Exception {
		Thread registering = holdRegistration();
		FutureTask<MemoryBlock> waiting = new FutureTask<>(() -> this.pool.allocate(KB));
		Thread thread = new Thread(waiting, "waiting");
		thread.start();
		awaitThatItWaits(thread);
		long begin = System.nanoTime();
		this.pool.close();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(waiting::get)
			.withCauseInstanceOf(IllegalStateException.class)
			.withMessageContaining("was given back");
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("wait of who learns it")
			.isLessThan(Duration.ofSeconds(1));
		this.faulting.release();
		registering.join();
	}

	@Test
	void whoIsInterruptedWhileItWaitsForMemoryGetsItAllTheSame() throws Exception {
		FutureTask<Boolean> interrupted = new FutureTask<>(() -> Thread.currentThread().isInterrupted());
		Thread waiting = new Thread(() -> {
			this.pool.allocate(KB);
			interrupted.run();
		}, "waiting");
		Thread registering = holdRegistration();
		waiting.start();
		awaitThatItWaits(waiting);
		waiting.interrupt();
		while (waiting.isAlive() && waiting.isInterrupted()) {
			Thread.onSpinWait();
		}
		awaitThatItWaits(waiting);
		this.faulting.release();
		registering.join();
		waiting.join();
		assertThat(interrupted).as("interrupt that was kept, with the memory").isDone();
		assertThat(interrupted.get()).isTrue();
	}

	// Let another thread be inside a registration that brings all that there may be.
	private Thread holdRegistration() {
		this.pool.allocate(64 * KB);
		this.pool.allocate(64 * KB);
		this.pool.allocate(64 * KB);
		this.faulting.inject(new Fault("ibvRegMr", 4, Kind.BLOCK, 0));
		Thread registering = new Thread(() -> this.pool.allocate(KB), "registering");
		registering.setUncaughtExceptionHandler((thread, ex) -> {
			// The device may be given back meanwhile.
		});
		registering.start();
		while (!this.faulting.isInjected()) {
			Thread.onSpinWait();
		}
		return registering;
	}

	private static void awaitThatItWaits(Thread thread) {
		while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
			Thread.onSpinWait();
		}
	}

	@Test
	void givenBackDeviceTakesAllMemoryWithItBeforeTheProtectionDomain() {
		MemoryBlock lent = this.pool.allocate(KB);
		this.pool.allocate(100 * KB);
		this.lease.release();
		assertThat(this.order.left()).isEmpty();
		assertThat(this.pool.registered()).isZero();
		lent.release();
		assertThatIllegalStateException().isThrownBy(() -> this.pool.allocate(1))
			.withMessage("The device of this pool of registered memory was given back");
	}

	@Test
	void noByteIsLentTwice() throws Exception {
		int threads = 8;
		Queue<String> problems = new ConcurrentLinkedQueue<>();
		CyclicBarrier start = new CyclicBarrier(threads);
		List<Thread> all = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			byte mark = (byte) (i + 1);
			Thread thread = new Thread(() -> lendAndCheck(mark, start, problems), "lender-" + i);
			thread.start();
			all.add(thread);
		}
		for (Thread thread : all) {
			thread.join();
		}
		assertThat(problems).isEmpty();
		assertThat(this.pool.used()).isZero();
		assertThat(this.pool.registered()).isLessThanOrEqualTo(LIMITS.maxSize());
	}

	// Fill each block with the mark of the thread, and look whether it is still there.
	private void lendAndCheck(byte mark, CyclicBarrier start, Queue<String> problems) {
		Random random = new Random(mark);
		Deque<MemoryBlock> held = new ArrayDeque<>();
		try {
			start.await();
			for (int i = 0; i < 20_000; i++) {
				if (held.size() > 12 || (!held.isEmpty() && random.nextBoolean())) {
					giveBack(random.nextBoolean() ? held.removeFirst() : held.removeLast(), mark, problems);
				}
				else {
					MemoryBlock block = this.pool.allocate(1 + random.nextInt(1500));
					fill(block.memory(), mark);
					held.add(block);
				}
			}
			held.forEach((block) -> giveBack(block, mark, problems));
		}
		catch (Exception | Error ex) {
			problems.add(Thread.currentThread().getName() + ": " + ex);
		}
	}

	private static void giveBack(MemoryBlock block, byte mark, Queue<String> problems) {
		ByteBuffer memory = block.memory();
		while (memory.hasRemaining()) {
			if (memory.get() != mark) {
				problems.add("Byte " + (memory.position() - 1) + " of a block of thread " + mark + " was changed");
				break;
			}
		}
		block.release();
	}

	private static void fill(ByteBuffer memory, byte mark) {
		while (memory.hasRemaining()) {
			memory.put(mark);
		}
	}

	private int registrations() {
		return this.faulting.counts().get("ibvRegMr").get();
	}

}
