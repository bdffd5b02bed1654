package io.github.rdmaboot.sample;

import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.test.AutoConfigureRdmaLoopback;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The client half, while there is no server.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@ActiveProfiles("client")
@AutoConfigureRestTestClient
@AutoConfigureRdmaLoopback
class ClientHalfTests {

	@Test
	void hasTheClientEndpointOnly(@Autowired ApplicationContext context) {
		assertThat(context.getBeanNamesForType(RdmaEndpoint.class)).containsExactly("echo-client");
	}

	@Test
	void startsAndReportsWhatIsMissing(@Autowired RestTestClient http, @Autowired RdmaClient client) {
		Awaitility.await().until(() -> client.lastError() != null && client.state() != EndpointState.UP);
		http.post()
			.uri("/echo")
			.body(new byte[] { 1 })
			.exchange()
			.expectStatus()
			.isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
			.expectBody()
			.jsonPath("$.endpoint")
			.isEqualTo("echo-client")
			.jsonPath("$.detail")
			.value(String.class, (detail) -> assertThat(detail).contains("127.0.0.1:7471", "nobody listens"));
		http.get()
			.uri("/actuator/health")
			.exchange()
			.expectStatus()
			.isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
			.expectBody()
			.jsonPath("$.components.rdma.components.echo-client.status")
			.isEqualTo("DOWN")
			.jsonPath("$.components.rdma.components.echo-client.details.error")
			.value(String.class, (error) -> assertThat(error).contains("nobody listens"));
	}

}
