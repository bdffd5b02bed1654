package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Threads that send, receive, connect, close, destroy and start at random on the same
 * endpoints, while events are delivered. The seed is printed; each thread draws from a
 * seed of its own.
 */
final class DestroyStress {

	private static final int THREADS = 8;

	private static final int CLIENTS = 3;

	private final Supplier<? extends RdmaProvider> providers;

	private final String address;

	private final CompletionSettings completion;

	private final Duration duration;

	private final long seed;

	private final AtomicLong sent = new AtomicLong();

	private final AtomicLong answers = new AtomicLong();

	private final AtomicLong destroyed = new AtomicLong();

	private final Queue<DestroyReport> notSuccessful = new ConcurrentLinkedQueue<>();

	private final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();

	DestroyStress(Supplier<? extends RdmaProvider> providers, String address, CompletionSettings completion,
			Duration duration, long seed) {
		this.completion = completion;
		this.providers = providers;
		this.address = address;
		this.duration = duration;
		this.seed = seed;
	}

	static Duration duration(int defaultSeconds) {
		return Duration.ofSeconds(Integer.getInteger("rdma.test.stress-seconds", defaultSeconds));
	}

	static long seed() {
		return Long.getLong("rdma.test.seed", System.nanoTime());
	}

	void run() throws InterruptedException {
		System.out.println("Stress of " + this.duration.toSeconds() + " s, completion mode " + this.completion.mode()
				+ ", with -Drdma.test.seed=" + this.seed);
		RdmaEndpoints registry = CheckedEndpoints.create(this.providers, ShutdownSettings.defaults(), null);
		registry.addDestroyListener((report) -> {
			this.destroyed.incrementAndGet();
			if (report.result() != DestroyResult.SUCCESS) {
				this.notSuccessful.add(report);
			}
		});
		RdmaServer server = registry.addServer(TestSettings.server("stressed", this.address, 7490, this.completion));
		server.onMessage((connection, message) -> connection.send(message, (error) -> {
		}));
		List<RdmaClient> clients = new ArrayList<>();
		for (int i = 0; i < CLIENTS; i++) {
			RdmaClient client = registry.addClient(TestSettings.client("client-" + i, this.address, 7490,
					ClientStartup.BACKGROUND, TestSettings.RECONNECT, Duration.ofSeconds(2), this.completion));
			client.onMessage((connection, message) -> this.answers.incrementAndGet());
			clients.add(client);
		}
		registry.start();
		long end = System.nanoTime() + this.duration.toNanos();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			Random random = new Random(this.seed + i);
			Thread thread = new Thread(() -> work(random, end, server, clients), "stress-" + i);
			thread.start();
			threads.add(thread);
		}
		for (Thread thread : threads) {
			thread.join(this.duration.plusSeconds(60).toMillis());
			assertThat(thread.isAlive()).as("thread %s hangs", thread.getName()).isFalse();
		}
		awaitAnswer(server, clients.get(0));
		registry.destroyAll(DestroyTrigger.SHUTDOWN);
		registry.close();
		System.out.printf("Stress: %d messages sent, %d answered, %d destroys%n", this.sent.get(), this.answers.get(),
				this.destroyed.get());
		assertThat(this.unexpected).as("unexpected failures with seed %d", this.seed).isEmpty();
		assertThat(this.notSuccessful).as("destroys that did not succeed with seed %d", this.seed).isEmpty();
		assertThat(this.sent.get()).as("messages sent").isPositive();
		assertThat(this.destroyed.get()).as("destroys").isPositive();
	}

	private void work(Random random, long end, RdmaServer server, List<RdmaClient> clients) {
		while (System.nanoTime() - end < 0) {
			RdmaClient client = clients.get(random.nextInt(clients.size()));
			try {
				act(random, server, client);
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

	// Whatever was destroyed last, messages come back once both are started.
	private void awaitAnswer(RdmaServer server, RdmaClient client) {
		server.start();
		client.start();
		long before = this.answers.get();
		await("an answer after the stress").atMost(Duration.ofSeconds(60))
			.ignoreExceptionsMatching((ex) -> ex instanceof IllegalStateException || ex instanceof RdmaException)
			.until(() -> {
				client.connection().send(ByteBuffer.allocate(1), (error) -> {
				});
				return this.answers.get() > before;
			});
	}

	private void act(Random random, RdmaServer server, RdmaClient client) {
		int dice = random.nextInt(10_000);
		if (dice < 9900) {
			client.connection().send(ByteBuffer.allocate(1 + random.nextInt(2000)), (error) -> {
				if (error == null) {
					this.sent.incrementAndGet();
				}
			});
		}
		else if (dice < 9920) {
			client.connection().close();
		}
		else if (dice < 9940) {
			client.destroy();
			client.start();
		}
		else if (dice < 9960) {
			server.connections().stream().findAny().ifPresent(RdmaConnection::close);
		}
		else if (dice < 9980) {
			client.connect().join();
		}
		else {
			server.destroy();
			server.start();
		}
	}

}
