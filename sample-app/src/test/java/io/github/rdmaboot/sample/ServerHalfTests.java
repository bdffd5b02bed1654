package io.github.rdmaboot.sample;

import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.test.AutoConfigureRdmaLoopback;
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
 * The server half.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@ActiveProfiles("server")
@AutoConfigureRestTestClient
@AutoConfigureRdmaLoopback
class ServerHalfTests {

	@Test
	void hasTheServerEndpointOnly(@Autowired ApplicationContext context) {
		assertThat(context.getBeanNamesForType(RdmaEndpoint.class)).containsExactly("echo");
	}

	@Test
	void isHealthyAndTakesNoBodies(@Autowired RestTestClient http) {
		http.get().uri("/actuator/health").exchange().expectStatus().isOk();
		http.post().uri("/echo").body(new byte[] { 1 }).exchange().expectStatus().isEqualTo(HttpStatus.NOT_FOUND);
	}

}
