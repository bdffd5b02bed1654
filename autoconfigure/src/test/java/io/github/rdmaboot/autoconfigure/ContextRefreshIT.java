package io.github.rdmaboot.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.provider.jna.KernelObjects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Application contexts with endpoints on the kernel, started and closed again and again.
 */
class ContextRefreshIT {

	private static final int ROUNDS = 200;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
		.withPropertyValues("rdma.servers.a.address=192.0.2.1", "rdma.servers.a.port=7481",
				"rdma.servers.b.address=192.0.2.1", "rdma.servers.b.port=7482", "rdma.servers.c.port=7483",
				"rdma.clients.d.address=192.0.2.1", "rdma.clients.d.port=7481", "rdma.clients.d.startup=required",
				"rdma.clients.e.address=192.0.2.1", "rdma.clients.e.port=7482", "rdma.clients.e.startup=required");

	@Test
	@Timeout(value = 15, unit = TimeUnit.MINUTES)
	void twoHundredRefreshesAndClosesLeaveKernelObjectsFilesAndThreadsConstant() throws IOException {
		// What the process opens once and keeps: the library, its devices, the JVM's own
		// threads.
		refreshAndClose();
		String objects = KernelObjects.counts();
		long files = openFiles();
		long threads = threads();
		long begin = System.nanoTime();
		for (int i = 0; i < ROUNDS; i++) {
			refreshAndClose();
		}
		System.out.printf("%d refreshes and closes of 5 endpoints in %d s: %s, %d files, %d threads before and after%n",
				ROUNDS, Duration.ofNanos(System.nanoTime() - begin).toSeconds(), objects, files, threads);
		assertThat(KernelObjects.counts()).isEqualTo(objects);
		assertThat(openFiles()).as("open file descriptors").isEqualTo(files);
		await().atMost(30, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(threads()).as("threads").isLessThanOrEqualTo(threads));
	}

	private void refreshAndClose() {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBeansOfType(RdmaEndpoint.class)).hasSize(5)
				.allSatisfy((name, endpoint) -> assertThat(endpoint.state()).as(name).isEqualTo(EndpointState.UP));
			assertThat(context.getBean("d", RdmaClient.class).connection().isOpen()).isTrue();
		});
	}

	private static long openFiles() throws IOException {
		try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
			return files.count();
		}
	}

	private static long threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("rdma-"))
			.count();
	}

}
