package io.github.rdmaboot.endpoint;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * A connection request whose server stops while it makes what the connection needs.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HalfAcceptedRequestTests {

	private static final String ADDRESS = "192.0.2.1";

	private final LoopbackFabric fabric = LoopbackFabrics.with(ADDRESS);

	private final HeldCalls calls = new HeldCalls(new LoopbackRdmaProvider(this.fabric));

	private final RdmaEndpoints servers = CheckedEndpoints.create(this.calls::provider, ShutdownSettings.defaults(),
			null);

	private final RdmaEndpoints clients = CheckedEndpoints.create(() -> new LoopbackRdmaProvider(this.fabric),
			ShutdownSettings.defaults(), null);

	@AfterEach
	void releaseAndClose() {
		this.calls.release();
		this.clients.close();
		this.servers.close();
	}

	@Test
	void itsPeerIsToldThatTheServerGoesAway() throws Exception {
		RdmaServer server = this.servers.addServer(TestSettings.server("server", ADDRESS, 0));
		this.servers.start();
		this.clients.start();
		RdmaClient client = this.clients.addClient(
				TestSettings.client("client", ADDRESS, server.port(), ClientStartup.LAZY, TestSettings.NO_RECONNECT));
		client.start();
		this.calls.hold("rdmaCreateQp");
		CompletableFuture<RdmaConnection> connecting = client.connect();
		await().until(() -> this.calls.held() == 1);

		CompletableFuture<DestroyReport> destroyed = CompletableFuture.supplyAsync(server::destroy);
		await().until(() -> server.state() == EndpointState.DESTROYING);
		this.calls.release();

		assertThat(destroyed.get(20, TimeUnit.SECONDS).result()).isEqualTo(DestroyResult.SUCCESS);
		ExecutionException failure = catchThrowableOfType(ExecutionException.class,
				() -> connecting.get(20, TimeUnit.SECONDS));
		assertThat(failure.getCause()).isInstanceOfSatisfying(ConnectionRejectedException.class,
				(rejected) -> assertThat(rejected.isGoingAway()).as(rejected.getMessage()).isTrue());
	}

}
