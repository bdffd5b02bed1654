package io.github.rdmaboot.sample;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.test.AutoConfigureRdmaLoopback;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.EntityExchangeResult;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Both halves in one process.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureRestTestClient
@AutoConfigureRdmaLoopback
class EchoTests {

	private static final int MAX_BODY_SIZE = 64 * 1024;

	private final RestTestClient http;

	private final RdmaServer server;

	private final RdmaClient client;

	EchoTests(@Autowired RestTestClient http, @Autowired @Qualifier("echo") RdmaServer server,
			@Autowired @Qualifier("echo-client") RdmaClient client) {
		this.http = http;
		this.server = server;
		this.client = client;
	}

	@BeforeEach
	void awaitConnection() {
		Awaitility.await().until(() -> this.client.state() == EndpointState.UP);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2, 1023, 4096, 4097, 60 * 1024, MAX_BODY_SIZE })
	void echoesTheBodyByteForByteWithTheTimeItTook(int size) {
		byte[] body = random(size);
		EntityExchangeResult<byte[]> result = post(body);
		assertThat(result.getStatus()).isEqualTo(HttpStatus.OK);
		assertThat(bytes(result)).isEqualTo(body);
		assertThat(result.getResponseHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_OCTET_STREAM);
		assertThat(Long.parseLong(result.getResponseHeaders().getFirst(EchoController.ROUND_TRIP_HEADER))).isBetween(0L,
				TimeUnit.SECONDS.toMicros(5));
	}

	@ParameterizedTest
	@ValueSource(strings = { MediaType.TEXT_PLAIN_VALUE, MediaType.APPLICATION_JSON_VALUE,
			MediaType.APPLICATION_FORM_URLENCODED_VALUE })
	void echoesABodyOfAnyType(String type) {
		EntityExchangeResult<byte[]> result = this.http.post()
			.uri("/echo")
			.contentType(MediaType.parseMediaType(type))
			.body("name=value".getBytes(StandardCharsets.UTF_8))
			.exchange()
			.returnResult(byte[].class);
		assertThat(bytes(result)).asString(StandardCharsets.UTF_8).isEqualTo("name=value");
	}

	@Test
	void givesEachOfManyConcurrentRequestsItsOwnAnswer() throws Exception {
		Random sizes = new Random(1);
		List<byte[]> bodies = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			bodies.add(random(sizes.nextInt(60 * 1024) + 1));
		}
		ExecutorService threads = Executors.newFixedThreadPool(40);
		try {
			List<Future<byte[]>> answers = bodies.stream()
				.map((body) -> threads.submit(() -> bytes(post(body))))
				.toList();
			for (int i = 0; i < answers.size(); i++) {
				assertThat(answers.get(i).get(30, TimeUnit.SECONDS)).isEqualTo(bodies.get(i));
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(this.client.connections()).hasSize(1);
	}

	@Test
	void refusesABodyThatIsLargerThanABuffer() {
		this.http.post()
			.uri("/echo")
			.body(new byte[MAX_BODY_SIZE + 1])
			.exchange()
			.expectStatus()
			.isEqualTo(HttpStatus.CONTENT_TOO_LARGE)
			.expectBody()
			.jsonPath("$.endpoint")
			.isEqualTo("echo-client")
			.jsonPath("$.detail")
			.isEqualTo("A body may have at most 65536 bytes, the size of a registered buffer");
		assertThat(bytes(post(new byte[] { 7 }))).containsExactly(7);
	}

	@Test
	void answers503WhileTheConnectionIsLostAndEchoesAgainWhenTheServerIsBack() {
		this.server.destroy();
		try {
			Awaitility.await().until(() -> this.client.state() != EndpointState.UP);
			this.http.post()
				.uri("/echo")
				.body(new byte[] { 1 })
				.exchange()
				.expectStatus()
				.isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
				.expectHeader()
				.contentType(MediaType.APPLICATION_PROBLEM_JSON)
				.expectBody()
				.jsonPath("$.endpoint")
				.isEqualTo("echo-client")
				.jsonPath("$.detail")
				.value(String.class, (detail) -> assertThat(detail).contains("echo-client", "127.0.0.1:7471"));
		}
		finally {
			this.server.start();
		}
		awaitConnection();
		assertThat(bytes(post(new byte[] { 1 }))).containsExactly(1);
	}

	@Test
	void answersHealthWithTheDetailsOfBothEndpoints() {
		this.http.get()
			.uri("/actuator/health")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.components.rdma.components.devices.details.provider")
			.isEqualTo("loopback")
			.jsonPath("$.components.rdma.components.echo.details.state")
			.isEqualTo("UP")
			.jsonPath("$.components.rdma.components.echo-client.details.address")
			.isEqualTo("127.0.0.1:7471");
	}

	@Test
	void countsMessagesInMetricsAndScrapes() {
		post(random(10));
		this.http.get()
			.uri("/actuator/metrics/rdma.messages?tag=endpoint:echo-client&tag=direction:sent")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.measurements[0].value")
			.value(Double.class, (count) -> assertThat(count).isGreaterThanOrEqualTo(1));
		assertThat(text("/actuator/prometheus")).contains("rdma_messages_total{",
				"rdma_endpoint_destroy_seconds_count{");
	}

	@Test
	void describesItsEndpoints() {
		this.http.get()
			.uri("/actuator/rdma")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.endpoints[?(@.name == 'echo')].state")
			.isEqualTo("UP");
		assertThat(text("/actuator/rdma/echo-client")).contains("\"cmId\"", "\"peerAddress\"");
	}

	private String text(String uri) {
		EntityExchangeResult<byte[]> result = this.http.get().uri(uri).exchange().returnResult(byte[].class);
		assertThat(result.getStatus()).isEqualTo(HttpStatus.OK);
		return new String(bytes(result), StandardCharsets.UTF_8);
	}

	private EntityExchangeResult<byte[]> post(byte[] body) {
		return this.http.post()
			.uri("/echo")
			.contentType(MediaType.APPLICATION_OCTET_STREAM)
			.body(body)
			.exchange()
			.returnResult(byte[].class);
	}

	private static byte[] bytes(EntityExchangeResult<byte[]> result) {
		byte[] body = result.getResponseBody();
		return (body != null) ? body : new byte[0];
	}

	private static byte[] random(int size) {
		byte[] bytes = new byte[size];
		new Random(size).nextBytes(bytes);
		return bytes;
	}

}
