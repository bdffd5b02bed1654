package io.github.rdmaboot.sample;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackFaults;
import io.github.rdmaboot.provider.loopback.VirtualClock;
import io.github.rdmaboot.test.AutoConfigureRdmaLoopback;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the application answers when its peer fails. README shows this class.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "rdma.clients.echo-client.address=192.0.2.10", "rdma.clients.echo-client.connect-timeout=500ms",
				"rdma.shutdown.disconnect-grace=100ms" })
@AutoConfigureRestTestClient
@AutoConfigureRdmaLoopback(addresses = "192.0.2.10")
class EchoFaultsTests {

	@Autowired
	RestTestClient http;

	@Autowired
	@Qualifier("echo-client")
	RdmaClient client;

	@Autowired
	LoopbackFabric fabric;

	@Autowired
	LoopbackFaults faults;

	@BeforeEach
	void awaitConnection() {
		Awaitility.await().until(() -> this.client.state() == EndpointState.UP);
	}

	@Test
	void answers503WhenThePeerIsLostAndEchoesAgainWhenItIsBack() throws Exception {
		this.faults.silence(InetAddress.getByName("192.0.2.10"));
		try (VirtualClock clock = this.fabric.useVirtualClock()) {
			CompletableFuture<HttpStatusCode> answer = CompletableFuture.supplyAsync(this::echo);
			Awaitility.await().until(() -> {
				clock.advance(Duration.ofSeconds(10));
				return answer.isDone();
			});
			assertThat(answer.get()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
		}
		assertThat(echo()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
		this.faults.heal();
		awaitConnection();
		assertThat(echo()).isEqualTo(HttpStatus.OK);
	}

	private HttpStatusCode echo() {
		return this.http.post()
			.uri("/echo")
			.body("hello".getBytes(StandardCharsets.UTF_8))
			.exchange()
			.returnResult()
			.getStatus();
	}

}
