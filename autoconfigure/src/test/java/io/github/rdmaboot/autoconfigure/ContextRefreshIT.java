package io.github.rdmaboot.autoconfigure;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.provider.jna.Footprint;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Application contexts with endpoints on the kernel, started and closed again and again.
 * The system property {@code rdma.test.refreshes} sets how often.
 */
class ContextRefreshIT {

	private static final int ROUNDS = Integer.getInteger("rdma.test.refreshes", 15);

	private final ApplicationContextRunner runner = CheckedContexts.runner()
		.withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
		.withPropertyValues("rdma.servers.a.address=192.0.2.1", "rdma.servers.a.port=7481",
				"rdma.servers.b.address=192.0.2.1", "rdma.servers.b.port=7482", "rdma.servers.c.port=7483",
				"rdma.clients.d.address=192.0.2.1", "rdma.clients.d.port=7481", "rdma.clients.d.startup=required",
				"rdma.clients.e.address=192.0.2.1", "rdma.clients.e.port=7482", "rdma.clients.e.startup=required");

	@Test
	@Timeout(value = 15, unit = TimeUnit.MINUTES)
	void refreshesAndClosesLeaveKernelObjectsFilesAndThreadsConstant() {
		// What the process opens once and keeps: the library, its devices, the JVM's own
		// threads.
		refreshAndClose();
		Footprint before = Footprint.now();
		long begin = System.nanoTime();
		for (int i = 0; i < ROUNDS; i++) {
			refreshAndClose();
		}
		before.awaitNothingMore(Duration.ofSeconds(30), ROUNDS + " refreshes");
		System.out.printf("%d refreshes and closes of 5 endpoints in %d s: before %s, afterwards %s%n", ROUNDS,
				Duration.ofNanos(System.nanoTime() - begin).toSeconds(), before, Footprint.now());
	}

	private void refreshAndClose() {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBeansOfType(RdmaEndpoint.class)).hasSize(5)
				.allSatisfy((name, endpoint) -> assertThat(endpoint.state()).as(name).isEqualTo(EndpointState.UP));
			assertThat(context.getBean("d", RdmaClient.class).connection().isOpen()).isTrue();
		});
	}

}
