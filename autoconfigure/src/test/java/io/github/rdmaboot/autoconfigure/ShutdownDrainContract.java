package io.github.rdmaboot.autoconfigure;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.rdmaboot.endpoint.CheckedEndpoints;
import io.github.rdmaboot.endpoint.ConnectionRejectedException;
import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaConnection;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.endpoint.ShutdownSettings;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.RdmaProvider;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ApplicationContextException;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What peers and requests in flight see of an application that stops, on any provider.
 */
@Timeout(value = 240, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class ShutdownDrainContract {

	static final String ADDRESS = "192.0.2.1";

	private static final int PORT = 7497;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private @Nullable RdmaEndpoints peers;

	/**
	 * Return a provider; each start of endpoints asks for one.
	 * @return the provider
	 */
	abstract RdmaProvider openProvider();

	@AfterEach
	void closePeers() {
		if (this.peers != null) {
			this.peers.close();
		}
	}

	@Test
	void requestInFlightUsesItsConnectionWhileNewOnesAreRejectedWithTheReason() throws Exception {
		ConfigurableApplicationContext context = application();
		RdmaServer server = context.getBean("echo", RdmaServer.class);
		EchoServlet servlet = context.getBean(EchoServlet.class);
		RdmaClient established = peer("established", 0);
		RdmaConnection connection = established.connect().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		CompletableFuture<HttpResponse<String>> response = request(context);
		assertThat(servlet.entered.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
		Thread closing = new Thread(context::close, "closing");
		closing.start();
		await().atMost(PATIENCE).until(() -> server.state() == EndpointState.QUIESCED);

		ConnectionRejectedException rejected = rejection(peer("late", 0));
		assertThat(rejected.isGoingAway()).isTrue();
		assertThat(rejected).hasMessageContaining("reason 28")
			.hasMessageContaining("the peer says 'going away: the server stops and takes no new connections'");
		connection.send(ByteBuffer.wrap(new byte[] { 1, 2 })).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(connection.receive().get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).containsExactly(1, 2);
		assertThat(response).isNotDone();
		servlet.release.countDown();
		assertThat(response.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).body()).isEqualTo("over RDMA");

		closing.join();
		assertThat(server.state()).isEqualTo(EndpointState.IDLE);
		DestroyReport report = server.lastDestroyReport();
		assertThat(report).isNotNull();
		assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		assertThat(report.trigger()).isEqualTo(DestroyTrigger.SHUTDOWN);
		assertThat(report.connections()).as("connections that shared the grace period of %s", report.toLine())
			.isEqualTo(2);
		await().atMost(PATIENCE).until(() -> !connection.isOpen());
	}

	@Test
	void clientThatWasRejectedByAServerGoingAwayConnectsWhenItIsBack() throws Exception {
		try (ConfigurableApplicationContext context = application()) {
			RdmaServer server = context.getBean("echo", RdmaServer.class);
			context.getBean(RdmaEndpoints.class).quiesce();
			// One attempt is configured, but those that the server asked to repeat do not
			// count.
			RdmaClient client = peer("patient", 1);
			RdmaClient persistent = peer("persistent", Integer.MAX_VALUE);
			await().atMost(PATIENCE).until(() -> client.cmId().generation() > 3);
			assertThat(client.lastError()).isInstanceOfSatisfying(ConnectionRejectedException.class,
					(rejected) -> assertThat(rejected.isGoingAway()).isTrue());
			context.pause();
			assertThat(server.state()).isEqualTo(EndpointState.IDLE);
			context.restart();
			assertThat(server.state()).isEqualTo(EndpointState.UP);
			await().atMost(PATIENCE).until(() -> persistent.state() == EndpointState.UP);
		}
	}

	@Test
	void pauseQuiescesAsACloseDoesAndARestartTakesConnectionsAgain() throws Exception {
		try (ConfigurableApplicationContext context = application()) {
			RdmaServer server = context.getBean("echo", RdmaServer.class);
			Worker worker = context.getBean(Worker.class);
			worker.busy = true;
			Thread pausing = new Thread(context::pause, "pausing");
			pausing.start();
			await().atMost(PATIENCE).until(() -> server.state() == EndpointState.QUIESCED);
			assertThat(rejection(peer("late", 0)).isGoingAway()).isTrue();
			worker.finish.countDown();
			pausing.join();
			assertThat(worker.answer).isEqualTo("over RDMA");
			assertThat(server.state()).isEqualTo(EndpointState.IDLE);
			context.restart();
			RdmaClient client = peer("early", 0);
			assertThat(client.connect().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).isOpen()).isTrue();
		}
	}

	@Test
	void startThatFailsDestroysWithoutQuiescingFirst() {
		List<DestroyReport> reports = new CopyOnWriteArrayList<>();
		SpringApplicationBuilder application = new SpringApplicationBuilder(FailingApplication.class)
			.web(WebApplicationType.NONE)
			.initializers(this::registerProvider, (context) -> ((GenericApplicationContext) context)
				.registerBean(DestroyListener.class, () -> reports::add));
		assertThatExceptionOfType(ApplicationContextException.class)
			.isThrownBy(
					() -> application.run("--rdma.servers.echo.address=" + ADDRESS, "--rdma.servers.echo.port=" + PORT))
			.withStackTraceContaining("cannot start");
		assertThat(reports).singleElement().satisfies((report) -> {
			assertThat(report.trigger()).isEqualTo(DestroyTrigger.FAILED_START);
			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		});
	}

	private ConfigurableApplicationContext application() {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.SERVLET)
			.initializers((context) -> ((GenericApplicationContext) context).registerBean(RdmaProvider.class,
					this::openProvider, (definition) -> definition.setScope("prototype")))
			.run("--server.port=0", "--server.address=127.0.0.1", "--server.shutdown=graceful",
					"--spring.lifecycle.timeout-per-shutdown-phase=60s", "--rdma.servers.echo.address=" + ADDRESS,
					"--rdma.servers.echo.port=" + PORT, "--rdma.clients.echo-client.address=" + ADDRESS,
					"--rdma.clients.echo-client.port=" + PORT, "--rdma.clients.echo-client.startup=required");
	}

	private void registerProvider(ConfigurableApplicationContext context) {
		((GenericApplicationContext) context).registerBean(RdmaProvider.class, this::openProvider,
				(definition) -> definition.setScope("prototype"));
	}

	private CompletableFuture<HttpResponse<String>> request(ConfigurableApplicationContext context) {
		URI address = URI.create("http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port"));
		return this.http.sendAsync(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
	}

	// A client of another application.
	private RdmaClient peer(String name, int maxAttempts) {
		RdmaEndpoints peers = this.peers;
		if (peers == null) {
			peers = CheckedEndpoints.create(this::openProvider, ShutdownSettings.defaults(), null);
			this.peers = peers;
			peers.start();
		}
		Map<String, String> properties = Map.of("peer.address", ADDRESS, "peer.port", "" + PORT, "peer.resolve-timeout",
				"10s", "peer.connect-timeout", "20s", "peer.startup", (maxAttempts > 0) ? "background" : "lazy",
				"peer.reconnect.enabled", "" + (maxAttempts > 0), "peer.reconnect.max-attempts", "" + maxAttempts,
				"peer.reconnect.initial-backoff", "10ms", "peer.reconnect.max-backoff", "50ms");
		RdmaClient client = peers
			.addClient(SettingsConverter.client(name, new Binder(new MapConfigurationPropertySource(properties))
				.bindOrCreate("peer", RdmaProperties.Client.class)));
		client.start();
		return client;
	}

	private static ConnectionRejectedException rejection(RdmaClient client) throws Exception {
		try {
			client.connect().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			assertThat(ex.getCause()).isInstanceOf(ConnectionRejectedException.class);
			return (ConnectionRejectedException) ex.getCause();
		}
		throw new AssertionError(client + " was not rejected");
	}

	private static byte[] echo(RdmaClient client, byte[] body)
			throws InterruptedException, ExecutionException, TimeoutException {
		RdmaConnection connection = client.connection();
		connection.send(ByteBuffer.wrap(body)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		return connection.receive().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		EchoServlet echoServlet(@Qualifier("echo") RdmaServer server, @Qualifier("echo-client") RdmaClient client) {
			server.onMessage((connection, message) -> connection.send(message, (error) -> {
			}));
			return new EchoServlet(client);
		}

		@Bean
		Worker worker(@Qualifier("echo-client") RdmaClient client) {
			return new Worker(client);
		}

		@Bean
		ServletRegistrationBean<EchoServlet> echoServletRegistration(EchoServlet servlet) {
			return new ServletRegistrationBean<>(servlet, "/");
		}

	}

	/**
	 * Sends its answer over RDMA and back, once it is released.
	 */
	static final class EchoServlet extends HttpServlet {

		private static final long serialVersionUID = 1L;

		private final transient CountDownLatch entered = new CountDownLatch(1);

		private final transient CountDownLatch release = new CountDownLatch(1);

		private final transient RdmaClient client;

		private EchoServlet(RdmaClient client) {
			this.client = client;
		}

		@Override
		protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
			this.entered.countDown();
			try {
				this.release.await();
				byte[] body = echo(this.client, "over RDMA".getBytes(StandardCharsets.US_ASCII));
				response.setContentLength(body.length);
				response.getOutputStream().write(body);
				// Tomcat stops as soon as no servlet is busy, be the response sent or
				// not.
				response.flushBuffer();
			}
			catch (InterruptedException | ExecutionException | TimeoutException ex) {
				throw new IOException(ex);
			}
		}

	}

	/**
	 * Works on until it is told to finish, then sends its result over RDMA and back.
	 */
	static final class Worker implements SmartLifecycle {

		private final CountDownLatch finish = new CountDownLatch(1);

		private final RdmaClient client;

		private volatile boolean busy;

		private volatile boolean running;

		private volatile String answer = "none";

		private Worker(RdmaClient client) {
			this.client = client;
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			if (this.busy) {
				this.busy = false;
				try {
					this.finish.await();
					this.answer = new String(echo(this.client, "over RDMA".getBytes(StandardCharsets.US_ASCII)),
							StandardCharsets.US_ASCII);
				}
				catch (InterruptedException | ExecutionException | TimeoutException ex) {
					this.answer = ex.toString();
				}
			}
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class FailingApplication {

		@Bean
		SmartLifecycle failing() {
			return new SmartLifecycle() {

				@Override
				public void start() {
					throw new IllegalStateException("cannot start");
				}

				@Override
				public void stop() {
				}

				@Override
				public boolean isRunning() {
					return false;
				}

			};
		}

	}

}
