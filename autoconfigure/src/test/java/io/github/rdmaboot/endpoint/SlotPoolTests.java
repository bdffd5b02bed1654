package io.github.rdmaboot.endpoint;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;

import io.github.rdmaboot.endpoint.Permits.Reservation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class SlotPoolTests {

	private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@AfterEach
	void endThreads() {
		this.threads.shutdownNow();
	}

	@Test
	void eachPlaceBelongsToOneThreadAtATime() throws Exception {
		SlotPool pool = new SlotPool(5);
		AtomicIntegerArray owners = new AtomicIntegerArray(5);
		List<Future<?>> users = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			int count = 1 + i % 3;
			users.add(this.threads.submit(() -> use(pool, owners, count)));
		}
		for (Future<?> user : users) {
			user.get(50, TimeUnit.SECONDS);
		}
		assertThat(pool.reserve(5, 0)).as("all places are free at the end").isEqualTo(Reservation.DONE);
	}

	private static void use(SlotPool pool, AtomicIntegerArray owners, int count) {
		int[] slots = new int[count];
		for (int round = 0; round < 5000; round++) {
			assertThat(pool.reserve(count, MINUTE)).isEqualTo(Reservation.DONE);
			for (int i = 0; i < count; i++) {
				slots[i] = pool.take();
				assertThat(owners.incrementAndGet(slots[i])).as("owners of place %d", slots[i]).isEqualTo(1);
			}
			for (int i = 0; i < count; i++) {
				owners.decrementAndGet(slots[i]);
				pool.giveBack(slots[i]);
			}
		}
	}

	@Test
	void tooFewAreReportedAtOnceOrWhenTheTimeIsUp() {
		SlotPool pool = new SlotPool(3);
		assertThat(pool.reserve(2, 0)).isEqualTo(Reservation.DONE);
		assertThat(pool.reserve(2, 0)).isEqualTo(Reservation.FULL);
		long begin = System.nanoTime();
		assertThat(pool.reserve(2, TimeUnit.MILLISECONDS.toNanos(20))).isEqualTo(Reservation.FULL);
		assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
		assertThat(pool.reserve(1, 0)).isEqualTo(Reservation.DONE);
	}

	@Test
	void whoeverWaitsForManyIsNotOvertakenForEver() throws Exception {
		SlotPool pool = new SlotPool(2);
		pool.reserve(2, 0);
		int first = pool.take();
		int second = pool.take();
		Future<Reservation> many = this.threads.submit(() -> pool.reserve(2, MINUTE));
		Future<Reservation> one = this.threads.submit(() -> {
			while (pool.reserve(1, 0) == Reservation.DONE) {
				pool.giveBack(pool.take());
			}
			return Reservation.FULL;
		});
		pool.giveBack(first);
		assertThat(one.get(50, TimeUnit.SECONDS)).as("refused while another waits").isEqualTo(Reservation.FULL);
		pool.giveBack(second);
		assertThat(many.get(50, TimeUnit.SECONDS)).isEqualTo(Reservation.DONE);
	}

	@Test
	void closeEndsEveryWait() throws Exception {
		SlotPool pool = new SlotPool(1);
		pool.reserve(1, 0);
		List<Future<Reservation>> waiting = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			waiting.add(this.threads.submit(() -> pool.reserve(1, MINUTE)));
		}
		pool.close();
		for (Future<Reservation> one : waiting) {
			assertThat(one.get(50, TimeUnit.SECONDS)).isEqualTo(Reservation.CLOSED);
		}
		assertThat(pool.reserve(1, 0)).isEqualTo(Reservation.CLOSED);
	}

	@Test
	void interruptEndsTheWaitAndIsKept() throws Exception {
		SlotPool pool = new SlotPool(1);
		pool.reserve(1, 0);
		Future<Boolean> kept = this.threads.submit(() -> {
			Thread.currentThread().interrupt();
			assertThat(pool.reserve(1, MINUTE)).isEqualTo(Reservation.INTERRUPTED);
			return Thread.interrupted();
		});
		assertThat(kept.get(50, TimeUnit.SECONDS)).isTrue();
	}

}
