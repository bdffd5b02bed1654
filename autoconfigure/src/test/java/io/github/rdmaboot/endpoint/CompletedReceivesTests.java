package io.github.rdmaboot.endpoint;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class CompletedReceivesTests {

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 16, 17 })
	void holdAsManyAsThereAreReceivesInTheirOrder(int count) {
		CompletedReceives receives = new CompletedReceives(new ReceiveRecords(count));
		for (int round = 0; round < 5; round++) {
			for (int i = 0; i < count; i++) {
				receives.put(i, 100 + i, i % 2 == 0, -i);
			}
			for (int i = 0; i < count; i++) {
				assertThat(receives.isEmpty()).isFalse();
				assertThat(receives.slot()).isEqualTo(i);
				assertThat(receives.length()).isEqualTo(100 + i);
				assertThat(receives.hasImmediate()).isEqualTo(i % 2 == 0);
				assertThat(receives.immediate()).isEqualTo(-i);
				receives.remove();
			}
			assertThat(receives.isEmpty()).isTrue();
		}
	}

	@Test
	void connectionsThatShareTheBuffersHaveTheirOwnReceives() {
		ReceiveRecords records = new ReceiveRecords(6);
		CompletedReceives one = new CompletedReceives(records);
		CompletedReceives other = new CompletedReceives(records);
		for (int slot = 0; slot < 6; slot++) {
			((slot % 3 == 0) ? one : other).put(slot, slot, false, 0);
		}
		assertThat(one.slot()).isZero();
		one.remove();
		other.put(0, 7, false, 0);
		for (int slot : new int[] { 1, 2, 4, 5, 0 }) {
			assertThat(other.slot()).isEqualTo(slot);
			other.remove();
		}
		assertThat(other.isEmpty()).isTrue();
		assertThat(one.slot()).isEqualTo(3);
		one.remove();
		assertThat(one.isEmpty()).isTrue();
	}

	@Test
	@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void oneThreadMayPutWhileAnotherTakes() throws Exception {
		int total = 1_000_000;
		CompletedReceives receives = new CompletedReceives(new ReceiveRecords(8));
		Semaphore free = new Semaphore(8);
		Queue<String> problems = new ConcurrentLinkedQueue<>();
		Thread taker = new Thread(() -> {
			for (int i = 0; i < total; i++) {
				while (receives.isEmpty()) {
					Thread.onSpinWait();
				}
				if (receives.slot() != i % 8 || receives.length() != i + 1 || receives.immediate() != -i) {
					problems.add(i + ": " + receives.slot() + " " + receives.length() + " " + receives.immediate());
				}
				receives.remove();
				free.release();
			}
		}, "taker");
		taker.start();
		for (int i = 0; i < total; i++) {
			free.acquireUninterruptibly();
			receives.put(i % 8, i + 1, true, -i);
		}
		taker.join();
		assertThat(problems).isEmpty();
	}

}
