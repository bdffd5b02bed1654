package io.github.rdmaboot.autoconfigure.metrics;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import com.google.protobuf.InvalidProtocolBufferException;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what an OTLP collector gets of an application that shuts down.
 */
@Timeout(60)
class OtlpShutdownExportTests {

	@Test
	void theLastPublishHasTheDestroy() throws IOException {
		try (MetricsSink sink = new MetricsSink()) {
			application(sink).web(WebApplicationType.NONE).run().close();
			assertThat(sink.requests()).hasSize(1);
			assertThat(destroys(sink)).containsExactly("echo shutdown success none 1");
		}
	}

	@Test
	void requestsAreServedBeforeTheDestroyAndTheLastPublish() throws Exception {
		try (MetricsSink sink = new MetricsSink()) {
			ConfigurableApplicationContext context = application(sink).web(WebApplicationType.SERVLET)
				.run("--server.port=0", "--server.address=127.0.0.1", "--server.shutdown=graceful");
			SlowServlet servlet = context.getBean(SlowServlet.class);
			URI address = URI.create("http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port"));
			HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
			CompletableFuture<HttpResponse<String>> response = client.sendAsync(HttpRequest.newBuilder(address).build(),
					HttpResponse.BodyHandlers.ofString());
			servlet.entered.await();
			Thread closing = new Thread(context::close, "closing");
			closing.start();
			Awaitility.await().until(() -> context.isClosed() && closing.getState() == Thread.State.TIMED_WAITING);
			assertThat(sink.requests()).isEmpty();
			servlet.release.countDown();
			assertThat(response.join().body()).as("state while requests drain").isEqualTo("QUIESCED");
			closing.join();
			assertThat(sink.requests()).hasSize(1);
			assertThat(destroys(sink)).containsExactly("echo shutdown success none 1");
		}
	}

	private static SpringApplicationBuilder application(MetricsSink sink) {
		return new SpringApplicationBuilder(Application.class).properties("rdma.provider=loopback",
				"rdma.servers.echo.port=0", "management.otlp.metrics.export.enabled=true",
				"management.otlp.metrics.export.step=1h",
				"management.otlp.metrics.export.url=http://" + sink.address() + "/v1/metrics");
	}

	private static List<String> destroys(MetricsSink sink) throws InvalidProtocolBufferException {
		List<MetricsSink.Request> requests = sink.requests();
		return ExportMetricsServiceRequest.parseFrom(requests.get(requests.size() - 1).body())
			.getResourceMetricsList()
			.stream()
			.flatMap((resource) -> resource.getScopeMetricsList().stream())
			.flatMap((scope) -> scope.getMetricsList().stream())
			.filter((metric) -> metric.getName().equals("rdma.endpoint.destroy"))
			.flatMap((metric) -> metric.getHistogram().getDataPointsList().stream())
			.filter((point) -> point.getCount() > 0)
			.map(OtlpShutdownExportTests::describe)
			.toList();
	}

	private static String describe(HistogramDataPoint point) {
		return attribute(point, "endpoint") + " " + attribute(point, "trigger") + " " + attribute(point, "result") + " "
				+ attribute(point, "error") + " " + point.getCount();
	}

	private static String attribute(HistogramDataPoint point, String key) {
		return point.getAttributesList()
			.stream()
			.filter((attribute) -> attribute.getKey().equals(key))
			.map(KeyValue::getValue)
			.findFirst()
			.orElseThrow()
			.getStringValue();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		SlowServlet slowServlet(RdmaServer server) {
			return new SlowServlet(server);
		}

		@Bean
		ServletRegistrationBean<SlowServlet> slowServletRegistration(SlowServlet servlet) {
			return new ServletRegistrationBean<>(servlet, "/");
		}

	}

	/**
	 * Answers with the state that the endpoint has once the servlet was released.
	 */
	static final class SlowServlet extends HttpServlet {

		private static final long serialVersionUID = 1L;

		private final transient CountDownLatch entered = new CountDownLatch(1);

		private final transient CountDownLatch release = new CountDownLatch(1);

		private final transient RdmaServer server;

		private SlowServlet(RdmaServer server) {
			this.server = server;
		}

		@Override
		protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
			this.entered.countDown();
			try {
				this.release.await();
			}
			catch (InterruptedException ex) {
				throw new IOException(ex);
			}
			byte[] body = this.server.state().name().getBytes(StandardCharsets.US_ASCII);
			response.setContentLength(body.length);
			response.getOutputStream().write(body);
			// Tomcat stops as soon as no servlet is busy, be the response sent or not.
			response.flushBuffer();
		}

	}

}
