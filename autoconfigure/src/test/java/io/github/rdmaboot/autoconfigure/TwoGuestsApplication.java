package io.github.rdmaboot.autoconfigure;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaConnection;
import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;

import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.awaitility.Awaitility.await;

/**
 * Application context with the server {@code inbound}, which the other guest connects to,
 * and the client {@code outbound}, which connects to the other guest. What either of them
 * sends comes back.
 */
final class TwoGuestsApplication {

	private static final int MESSAGES_IN_FLIGHT = 4;

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private final List<RdmaEndpoint> endpoints;

	private final Duration shutdownTimeout;

	private TwoGuestsApplication(String... properties) {
		TestPropertyValues
			.of("rdma.servers.inbound.address=192.0.2.1", "rdma.servers.inbound.port=7501",
					"rdma.clients.outbound.address=192.0.2.2", "rdma.clients.outbound.port=7500")
			.and(properties)
			.applyTo(this.context);
		this.context.register(RdmaAutoConfiguration.class);
		this.context.refresh();
		this.endpoints = List.copyOf(this.context.getBeansOfType(RdmaEndpoint.class).values());
		this.shutdownTimeout = this.context.getBean(RdmaProperties.class).shutdown().timeout();
	}

	static TwoGuestsApplication start(String... properties) {
		return new TwoGuestsApplication(properties);
	}

	RdmaServer server() {
		return this.context.getBean("inbound", RdmaServer.class);
	}

	RdmaClient client() {
		return client("outbound");
	}

	RdmaClient client(String name) {
		return this.context.getBean(name, RdmaClient.class);
	}

	Duration shutdownTimeout() {
		return this.shutdownTimeout;
	}

	void awaitConnections() {
		await().atMost(120, TimeUnit.SECONDS)
			.until(() -> client().state() == EndpointState.UP && !server().connections().isEmpty());
	}

	/**
	 * Send messages on both connections, and each again that comes back.
	 */
	void beginTraffic() {
		server().onMessage(TwoGuestsApplication::send);
		client().onMessage(TwoGuestsApplication::send);
		for (int i = 0; i < MESSAGES_IN_FLIGHT; i++) {
			send();
		}
	}

	/**
	 * Send a message on both connections.
	 */
	void send() {
		send("outbound");
		server().connections().forEach((connection) -> send(connection, ByteBuffer.allocate(1000)));
	}

	void send(String client) {
		send(client(client).connection(), ByteBuffer.allocate(1000));
	}

	private static void send(RdmaConnection connection, ByteBuffer message) {
		connection.send(message, (error) -> {
		});
	}

	void awaitTraffic() {
		long outbound = client().statistics().messagesReceived() + 20;
		long inbound = server().statistics().messagesReceived() + 20;
		await().atMost(60, TimeUnit.SECONDS)
			.until(() -> client().statistics().messagesReceived() >= outbound
					&& server().statistics().messagesReceived() >= inbound);
	}

	// Wait until nothing has come back for a time.
	void awaitSilence(Duration time) {
		AtomicLong seen = new AtomicLong(-1);
		AtomicLong since = new AtomicLong();
		await().atMost(60, TimeUnit.SECONDS).until(() -> {
			long received = received();
			if (seen.getAndSet(received) != received) {
				since.set(System.nanoTime());
			}
			return System.nanoTime() - since.get() >= time.toNanos();
		});
	}

	private long received() {
		return client().statistics().messagesReceived() + server().statistics().messagesReceived();
	}

	void close() {
		this.context.close();
	}

	List<DestroyReport> reports() {
		return this.endpoints.stream()
			.map((endpoint) -> Objects.requireNonNull(endpoint.lastDestroyReport(), endpoint::name))
			.toList();
	}

}
