package io.github.rdmaboot.endpoint;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Devices that come and go, seen by threads with different arenas of malloc. librdmacm of
 * rdma-core 44 loses the other devices then, and in the end blocks for ever in whatever
 * call comes next.
 */
class NativeDeviceDiscoveryIT {

	private static final int ROUNDS = 12;

	private static final int PATIENCE_SECONDS = 60;

	private final CountDownLatch end = new CountDownLatch(1);

	@AfterEach
	void endThreads() {
		this.end.countDown();
	}

	@Test
	@Timeout(value = 240, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void deviceThatComesAndGoesLeavesTheOtherOneUsable() throws Exception {
		JnaRdmaProvider provider = JnaRdmaProvider.open();
		assertThat(onNewThread(() -> deviceAt(provider, NativeEcho.ADDRESS))).isNotZero();
		for (int round = 1; round <= ROUNDS; round++) {
			try (SecondDevice second = new SecondDevice()) {
				second.add();
				assertThat(onNewThread(() -> deviceAt(provider, SecondDevice.ADDRESS)))
					.as("the device that came in round %d", round)
					.isNotZero();
				deleteAndLetGo(second, provider);
				assertThat(onNewThread(() -> deviceAt(provider, NativeEcho.ADDRESS)))
					.as("the device that stayed, after another one went in round %d", round)
					.isNotZero();
			}
		}
	}

	// The kernel waits until librdmacm, which keeps devices open, has noticed.
	private void deleteAndLetGo(SecondDevice second, JnaRdmaProvider provider) {
		CompletableFuture<Void> deletion = CompletableFuture.runAsync(second::deleteDevice);
		await().atMost(PATIENCE_SECONDS, TimeUnit.SECONDS).pollInterval(Duration.ofMillis(200)).until(() -> {
			onNewThread(() -> {
				provider.rdmaFreeDevices(provider.rdmaGetDevices());
				return 0L;
			});
			return deletion.isDone();
		});
		deletion.join();
	}

	// Bind an id there and return the device that it got.
	private static long deviceAt(JnaRdmaProvider provider, String address) {
		long channel = provider.rdmaCreateEventChannel();
		try {
			long id = provider.rdmaCreateId(channel, PortSpace.TCP);
			try {
				provider.rdmaBindAddr(id, new InetSocketAddress(address, 0));
				return provider.contextOf(id);
			}
			finally {
				provider.rdmaDestroyId(id);
			}
		}
		finally {
			provider.rdmaDestroyEventChannel(channel);
		}
	}

	// The threads stay until the end, or the next one would get the arena of the last.
	// They
	// are daemons, for they may stay inside the call.
	private long onNewThread(Callable<Long> call) throws Exception {
		FutureTask<Long> task = new FutureTask<>(call);
		Thread thread = new Thread(() -> {
			task.run();
			awaitEnd();
		});
		thread.setDaemon(true);
		thread.start();
		return task.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
	}

	private void awaitEnd() {
		try {
			this.end.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
