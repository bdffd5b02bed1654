package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Destroys of datagram endpoints against sends, look-ups, joins and leaves at once, on
 * the loopback provider, whose calls throw on handles that were destroyed.
 */
class DatagramStressTests {

	private static final int THREADS = 6;

	private static final String ADDRESS = "192.0.2.1";

	private static final int PORT = 7174;

	private final AtomicLong sent = new AtomicLong();

	private final AtomicLong destroyed = new AtomicLong();

	private final Queue<DestroyReport> notSuccessful = new ConcurrentLinkedQueue<>();

	private final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();

	@Test
	@Timeout(value = 20, unit = TimeUnit.MINUTES)
	void destroysAgainstSendsLookUpsAndGroupsNeitherHangNorLeak() throws Exception {
		LoopbackFabric fabric = new LoopbackFabric();
		fabric.addAddress(InetAddress.getByName(ADDRESS));
		CallOrder order = new CallOrder(false);
		long seed = DestroyStress.seed();
		Duration duration = DestroyStress.duration(5);
		System.out.println("Stress of " + duration.toSeconds() + " s with -Drdma.test.seed=" + seed);
		RdmaEndpoints registry = CheckedEndpoints.create(
				() -> FaultingProvider.of(new LoopbackRdmaProvider(fabric), order).provider(),
				ShutdownSettings.defaults(), null);
		registry.addDestroyListener((report) -> {
			this.destroyed.incrementAndGet();
			if (report.result() != DestroyResult.SUCCESS) {
				this.notSuccessful.add(report);
			}
		});
		RdmaDatagramEndpoint echo = registry.addDatagrams(TestSettings.datagrams("echo", ADDRESS, PORT, "239.1.1.1"));
		echo.onDatagram((datagram) -> datagram.reply(datagram.data()));
		RdmaDatagramEndpoint asker = registry.addDatagrams(TestSettings.datagrams("asker", ADDRESS, null));
		asker.onDatagram((datagram) -> assertThat(datagram.data().remaining()).isPositive());
		registry.start();
		long end = System.nanoTime() + duration.toNanos();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			Random random = new Random(seed + i);
			Thread thread = new Thread(() -> work(random, end, echo, asker), "stress-" + i);
			thread.start();
			threads.add(thread);
		}
		for (Thread thread : threads) {
			thread.join(duration.plusSeconds(60).toMillis());
			assertThat(thread.isAlive()).as("thread %s hangs", thread.getName()).isFalse();
		}
		registry.destroyAll(DestroyTrigger.SHUTDOWN);
		registry.close();
		System.out.printf("Stress: %d datagrams sent, %d destroys%n", this.sent.get(), this.destroyed.get());
		assertThat(this.unexpected).as("unexpected failures with seed %d", seed).isEmpty();
		assertThat(this.notSuccessful).as("destroys that did not succeed with seed %d", seed).isEmpty();
		assertThat(this.sent.get()).as("datagrams sent").isPositive();
		assertThat(this.destroyed.get()).as("destroys").isPositive();
		assertThat(order.violations()).as("order with seed %d", seed).isEmpty();
		assertThat(order.left()).as("left behind with seed %d", seed).isEmpty();
		assertThat(fabric.resources()).usingRecursiveComparison()
			.ignoringFields("timers")
			.isEqualTo(new LoopbackFabric().resources());
	}

	private void work(Random random, long end, RdmaDatagramEndpoint echo, RdmaDatagramEndpoint asker) {
		DatagramPeer peer = null;
		while (System.nanoTime() - end < 0) {
			try {
				if (peer == null || random.nextInt(500) == 0) {
					peer = asker.resolve(ADDRESS, PORT).join();
				}
				act(random, echo, asker, peer);
			}
			catch (RdmaException | IllegalStateException | CompletionException ex) {
				// What operations on endpoints that others destroy are documented to
				// throw.
				assertThat(ex.getMessage()).isNotNull();
			}
			catch (RuntimeException | Error ex) {
				this.unexpected.add(ex);
			}
		}
	}

	private void act(Random random, RdmaDatagramEndpoint echo, RdmaDatagramEndpoint asker, DatagramPeer peer) {
		int dice = random.nextInt(1000);
		InetAddress group = TestSettings.literal("239.1.1." + random.nextInt(4));
		if (dice < 960) {
			asker.send(peer, ByteBuffer.allocate(1 + random.nextInt(2000)), (error) -> {
				if (error == null) {
					this.sent.incrementAndGet();
				}
			});
		}
		else if (dice < 980) {
			asker.send(asker.join(group).join(), ByteBuffer.allocate(10), (error) -> {
			});
		}
		else if (dice < 990) {
			asker.leave(group);
		}
		else if (dice < 997) {
			asker.destroy();
			asker.start();
		}
		else {
			echo.destroy();
			echo.start();
		}
	}

}
