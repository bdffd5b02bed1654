package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Which thread looks at the devices, and when.
 */
@Timeout(30)
class DeviceDiscoveryTests {

	private final AtomicReference<Set<String>> devices = new AtomicReference<>(Set.of("rxe0 1"));

	private final List<Thread> lookers = new CopyOnWriteArrayList<>();

	private final DeviceDiscovery discovery = new DeviceDiscovery(this.devices::get,
			() -> this.lookers.add(Thread.currentThread()), 30_000);

	@Test
	void oneThreadLooksAtTheDevicesWhoeverAsksAndInWhicheverProvider() throws Exception {
		this.discovery.seeDevices();
		Thread other = new Thread(() -> {
			this.devices.set(Set.of("rxe0 1", "rxe1 7"));
			this.discovery.seeDevices();
			new DeviceDiscovery(this.devices::get, () -> this.lookers.add(Thread.currentThread()), 30_000).seeDevices();
		});
		other.start();
		other.join();
		assertThat(this.lookers).as("threads that looked at the devices").hasSize(3).containsOnly(this.lookers.get(0));
		assertThat(this.lookers.get(0)).isNotIn(Thread.currentThread(), other);
		assertThat(this.lookers.get(0).isDaemon()).as("daemon").isTrue();
	}

	@Test
	void devicesAreLookedAtAgainOnlyWhenOneCameOrWent() {
		this.discovery.seeDevices();
		this.discovery.seeDevices();
		assertThat(this.lookers).as("looks at the same devices").hasSize(1);
		this.devices.set(Set.of("rxe0 2"));
		this.discovery.seeDevices();
		assertThat(this.lookers).as("looks, with one device that came back").hasSize(2);
		this.devices.set(Set.of());
		this.discovery.seeDevices();
		assertThat(this.lookers).as("looks, with no device left").hasSize(3);
	}

	@Test
	void lookThatDoesNotReturnIsWaitedForOnceAndThenRepeated() {
		CountDownLatch held = new CountDownLatch(1);
		DeviceDiscovery stuck = new DeviceDiscovery(this.devices::get, () -> {
			this.lookers.add(Thread.currentThread());
			try {
				held.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}, 500);
		long begin = System.nanoTime();
		for (int i = 0; i < 50; i++) {
			stuck.seeDevices();
		}
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("wait of 50 calls for a look that is stuck")
			.isBetween(Duration.ofMillis(500), Duration.ofSeconds(5));
		assertThat(this.lookers).as("looks while one is stuck").hasSize(1);
		held.countDown();
		await().until(() -> {
			stuck.seeDevices();
			return this.lookers.size() == 2;
		});
	}

	@Test
	void devicesThatCannotBeListedStopNoCall() {
		new DeviceDiscovery(() -> {
			throw new UncheckedIOException(new IOException("Too many open files"));
		}, () -> this.lookers.add(Thread.currentThread()), 30_000).seeDevices();
		assertThat(this.lookers).as("looks at devices that could not be listed").isEmpty();
	}

	@Test
	void lookThatFailsStopsNoCall() {
		DeviceDiscovery failing = new DeviceDiscovery(this.devices::get, () -> {
			throw new IllegalStateException("no devices for a test");
		}, 30_000);
		failing.seeDevices();
		this.discovery.seeDevices();
		assertThat(this.lookers).as("looks after one that failed").hasSize(1);
	}

	@Test
	void lookThatFailedIsRepeatedByTheNextCall() {
		AtomicBoolean failed = new AtomicBoolean();
		DeviceDiscovery failing = new DeviceDiscovery(this.devices::get, () -> {
			if (failed.compareAndSet(false, true)) {
				throw new IllegalStateException("too many open files, for a test");
			}
			this.lookers.add(Thread.currentThread());
		}, 30_000);
		failing.seeDevices();
		failing.seeDevices();
		failing.seeDevices();
		assertThat(this.lookers).as("looks after one that failed").hasSize(1);
	}

	@Test
	void interruptOfWhoeverWaitsIsKept() {
		Thread.currentThread().interrupt();
		this.discovery.seeDevices();
		assertThat(Thread.interrupted()).as("interrupted").isTrue();
		assertThat(this.lookers).as("looks").hasSize(1);
	}

}
