package io.github.rdmaboot.provider.jna;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.AddressHandleAttributes;
import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairState;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link NativeBlock}.
 */
class NativeBlockTests {

	@Test
	void blocksThatAreOpenAtOnceDoNotOverlap() {
		try (NativeBlock first = new NativeBlock(3); NativeBlock second = new NativeBlock(9)) {
			first.putBytes(0, new byte[] { 1, 2, 3 });
			second.putLong(0, -1).putByte(8, 7);
			assertThat(first.getBytes(0, 3)).containsExactly(1, 2, 3);
			assertThat(second.getLong(0)).isEqualTo(-1);
			assertThat(second.getByte(8)).isEqualTo((byte) 7);
			assertThat(second.address()).isGreaterThanOrEqualTo(first.address() + 3);
		}
	}

	@Test
	void memoryThatIsUsedAgainIsZeroed() {
		long address;
		try (NativeBlock block = new NativeBlock(16)) {
			address = block.address();
			block.putLong(0, -1).putLong(8, -1);
		}
		try (NativeBlock block = new NativeBlock(16)) {
			assertThat(block.address()).as("the memory of the block before").isEqualTo(address);
			assertThat(block.getLong(0)).isZero();
			assertThat(block.getLong(8)).isZero();
		}
	}

	@Test
	void accessBehindTheEndIsRefusedAlthoughThereIsMemory() {
		try (NativeBlock block = new NativeBlock(6)) {
			assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> block.putInt(4, 1));
			assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> block.getByte(-1));
			assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> block.getBytes(0, 7));
		}
	}

	@Test
	void aBlockLargerThanTheScratchMemoryIsWholeAndAtItsAddress() {
		byte[] text = "x".repeat(100_000).getBytes(StandardCharsets.US_ASCII);
		try (NativeBlock block = new NativeBlock(text.length)) {
			block.putBytes(0, text);
			assertThat(RawMemory.getBytes(block.address(), text.length)).isEqualTo(text);
		}
	}

	@Test
	void aBlockThatWasNeverClosedCostsNothingOnceAnOuterOneIsClosed() {
		long address;
		try (NativeBlock outer = new NativeBlock(8)) {
			address = outer.address();
			NativeBlock forgotten = new NativeBlock(64);
			assertThat(forgotten.address()).isNotEqualTo(address);
		}
		try (NativeBlock next = new NativeBlock(8)) {
			assertThat(next.address()).isEqualTo(address);
		}
	}

	@Test
	void argumentsThatCannotBeEncodedLeaveNoMemoryTaken() {
		long free;
		try (NativeBlock block = new NativeBlock(8)) {
			free = block.address();
		}
		QueuePairAttributes shortGid = new QueuePairAttributes(QueuePairAttributes.AV, QueuePairState.RTR,
				QueuePairState.INIT, 0, 0, 0, 0, 0, 0, null,
				new AddressHandleAttributes(new byte[4], 0, 0, 0, 0, 0, 0, 0, 0, true, 1), 0, 0, 0, 0, 0, 0, 0, 0);
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> QueuePairCodec.encode(shortGid));
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> Gid.encode(new byte[4]));
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> NativeBlock.filled(8, (block) -> {
			throw new IllegalStateException("cannot be encoded");
		}));
		try (NativeBlock block = new NativeBlock(8)) {
			assertThat(block.address()).isEqualTo(free);
		}
	}

	@Test
	void blocksOfDifferentThreadsAreApart() throws InterruptedException {
		try (NativeBlock mine = new NativeBlock(8)) {
			mine.putLong(0, 1);
			long[] other = new long[1];
			Thread thread = new Thread(() -> {
				try (NativeBlock block = new NativeBlock(8)) {
					block.putLong(0, 2);
					other[0] = block.address();
				}
			});
			thread.start();
			thread.join();
			assertThat(other[0]).isNotEqualTo(mine.address());
			assertThat(mine.getLong(0)).isEqualTo(1);
		}
	}

	@Test
	void virtualThreadsUseMemoryAgainAndHaveNoneInCommon() {
		long first;
		long second;
		try (NativeBlock block = new NativeBlock(16, true); NativeBlock other = new NativeBlock(16, true)) {
			first = block.address();
			second = other.address();
			assertThat(second).isNotEqualTo(first);
			block.putLong(0, -1);
			other.putLong(8, -1);
			assertThat(other.getLong(0)).isZero();
		}
		try (NativeBlock block = new NativeBlock(16, true); NativeBlock other = new NativeBlock(16, true)) {
			assertThat(List.of(block.address(), other.address())).containsExactlyInAnyOrder(first, second);
			assertThat(block.getLong(0) + block.getLong(8) + other.getLong(0) + other.getLong(8)).isZero();
		}
	}

	@Test
	void memoryThatIsGivenBackTwiceIsLentOnce() {
		NativeBlock twice = new NativeBlock(16, true);
		twice.close();
		twice.close();
		try (NativeBlock block = new NativeBlock(16, true); NativeBlock other = new NativeBlock(16, true)) {
			assertThat(other.address()).isNotEqualTo(block.address());
		}
	}

	@Test
	void aBlockOfAVirtualThreadThatIsLargerThanTheMemoryLentIsWhole() {
		byte[] text = "x".repeat(100_000).getBytes(StandardCharsets.US_ASCII);
		try (NativeBlock block = new NativeBlock(text.length, true)) {
			block.putBytes(0, text);
			assertThat(RawMemory.getBytes(block.address(), text.length)).isEqualTo(text);
		}
	}

	@Test
	void callsOfManyVirtualThreadsAtOnceMakeNoMoreMemoryThanThereAreCalls() throws Exception {
		int threads = 4;
		Set<Long> addresses = ConcurrentHashMap.newKeySet();
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Future<?>> calls = new ArrayList<>();
			for (int i = 0; i < 2_000; i++) {
				calls.add(executor.submit(() -> {
					try (NativeBlock block = new NativeBlock(64, true)) {
						long mine = block.address();
						addresses.add(mine);
						block.putLong(0, mine);
						assertThat(block.getLong(0)).isEqualTo(mine);
						assertThat(block.getLong(8)).isZero();
						block.putLong(8, mine);
					}
				}));
			}
			for (Future<?> call : calls) {
				call.get(10, TimeUnit.SECONDS);
			}
		}
		finally {
			executor.shutdown();
		}
		// Some may be left of other tests, and others made while one that was given back
		// was looked for in vain.
		assertThat(addresses).hasSizeLessThanOrEqualTo(64);
	}

	// More threads than are found without their thread local.
	@Test
	void blocksOfManyThreadsAreApart() throws InterruptedException {
		int count = 200;
		Set<Long> addresses = ConcurrentHashMap.newKeySet();
		AtomicInteger intact = new AtomicInteger();
		CyclicBarrier allOpen = new CyclicBarrier(count);
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			int number = i;
			threads.add(new Thread(() -> {
				for (int round = 0; round < 3; round++) {
					try (NativeBlock block = new NativeBlock(8)) {
						block.putLong(0, number);
						addresses.add(block.address());
						allOpen.await();
						intact.addAndGet((block.getLong(0) == number) ? 1 : 0);
					}
					catch (InterruptedException | BrokenBarrierException ex) {
						throw new IllegalStateException(ex);
					}
				}
			}));
		}
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(intact).hasValue(3 * count);
		assertThat(addresses).as("one for each thread, which it keeps").hasSize(count);
	}

}
