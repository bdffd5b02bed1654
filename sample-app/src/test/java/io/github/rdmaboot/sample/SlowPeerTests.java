package io.github.rdmaboot.sample;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.test.AutoConfigureRdmaLoopback;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that takes its time.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "sample.echo.timeout=300ms")
@AutoConfigureRestTestClient
@AutoConfigureRdmaLoopback
class SlowPeerTests {

	@Test
	void answers504AndGivesTheLateAnswerToNobodyElse(@Autowired RestTestClient http,
			@Autowired @Qualifier("echo") RdmaServer server, @Autowired @Qualifier("echo-client") RdmaClient client) {
		Awaitility.await().until(() -> client.state() == EndpointState.UP);
		CountDownLatch gaveUp = new CountDownLatch(1);
		server.onMessage((connection, message) -> {
			assertThat(gaveUp.await(30, TimeUnit.SECONDS)).isTrue();
			connection.send(message, (error) -> assertThat(error).isNull());
		});
		http.post()
			.uri("/echo")
			.body(new byte[] { 1 })
			.exchange()
			.expectStatus()
			.isEqualTo(HttpStatus.GATEWAY_TIMEOUT)
			.expectBody()
			.jsonPath("$.endpoint")
			.isEqualTo("echo-client")
			.jsonPath("$.detail")
			.isEqualTo("Within 300 ms the peer did not answer");
		gaveUp.countDown();
		http.post()
			.uri("/echo")
			.body(new byte[] { 2 })
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(byte[].class)
			.isEqualTo(new byte[] { 2 });
	}

}
