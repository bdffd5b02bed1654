package io.github.rdmaboot.autoconfigure;

import java.util.function.Consumer;

import io.github.rdmaboot.autoconfigure.actuate.RdmaActuatorEndpointAutoConfiguration;
import io.github.rdmaboot.autoconfigure.metrics.RdmaMetricsAutoConfiguration;
import io.github.rdmaboot.endpoint.ConnectListener;
import io.github.rdmaboot.endpoint.ServerSettings;
import io.github.rdmaboot.endpoint.ShutdownBenchmark;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * {@link ShutdownBenchmark} with contexts that have meters, events and what the actuator
 * shows.
 */
public final class ContextShutdownBenchmark {

	private ContextShutdownBenchmark() {
	}

	/**
	 * Serve commands until the input ends.
	 * @param arguments none
	 * @throws Exception if a run fails
	 */
	public static void main(String[] arguments) throws Exception {
		ShutdownBenchmark.serve(ContextShutdownBenchmark::start);
	}

	private static Runnable start(ServerSettings server, ConnectListener connected, Consumer<DestroyReport> destroyed) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(Application.class);
		String prefix = "rdma.servers." + server.name() + ".";
		TestPropertyValues
			.of("rdma.provider=native", prefix + "address=" + server.address(), prefix + "port=" + server.port(),
					prefix + "memory.buffer-size=" + server.memory().bufferSize() + "B",
					prefix + "memory.buffer-count=" + server.memory().bufferCount())
			.applyTo(context);
		context.registerBean(ConnectListener.class, () -> connected);
		context.addApplicationListener(
				(PayloadApplicationEvent<DestroyReport> event) -> destroyed.accept(event.getPayload()));
		context.refresh();
		return context::close;
	}

	/**
	 * Application with nothing but the starter and meters.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ RdmaAutoConfiguration.class, RdmaMetricsAutoConfiguration.class,
			RdmaActuatorEndpointAutoConfiguration.class, MetricsAutoConfiguration.class,
			CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class })
	static class Application {

	}

}
