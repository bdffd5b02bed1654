package io.github.rdmaboot.endpoint;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.provider.jna.KernelObjects;
import io.github.rdmaboot.verbs.CompletionMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The completion modes on librdmacm and the kernel.
 */
class NativeCompletionModeIT extends CompletionModeContract {

	private static final String ALLOWED = "Cpus_allowed_list:\t";

	@Override
	RdmaProvider openProvider() {
		return JnaRdmaProvider.open();
	}

	@Override
	String localAddress() {
		return "192.0.2.1";
	}

	@Override
	String nativeObjects() {
		return KernelObjects.counts();
	}

	private static CompletionSettings pinned(CompletionMode mode, int cpu) {
		return new CompletionSettings(mode, Duration.ofMillis(1), cpu, HandlerThread.EXECUTOR);
	}

	// Return on which CPUs each thread of this process may run.
	private static List<String> allowedCpus() throws IOException {
		List<String> allowed = new ArrayList<>();
		try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
			for (Path task : tasks) {
				allowed.addAll(allowedCpus(task));
			}
		}
		return allowed;
	}

	private static List<String> allowedCpus(Path task) throws IOException {
		try {
			return Files.readAllLines(task.resolve("status"))
				.stream()
				.filter((line) -> line.startsWith(ALLOWED))
				.map((line) -> line.substring(ALLOWED.length()))
				.toList();
		}
		catch (NoSuchFileException ex) {
			return List.of();
		}
	}

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	void completionThreadRunsOnTheConfiguredCpuOnly(CompletionMode mode) throws Exception {
		assertThat(allowedCpus()).as("before").isNotEmpty().doesNotContain("1");
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry, "server", pinned(mode, 1));
		registry.start();
		RdmaClient client = startedClient(registry, "client", server, pinned(mode, 1));
		echo(get(client.connect()), 3);
		assertThat(allowedCpus()).as("while there are queues").containsOnlyOnce("1");
		registry.close();
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(allowedCpus()).as("afterwards").doesNotContain("1"));
	}

	@Test
	void cpuThatDoesNotExistFailsTheStartWithTheNameOfTheProperty() {
		RdmaEndpoints registry = registry();
		registry.addServer(TestSettings.server("server", localAddress(), 0, pinned(CompletionMode.POLL, 4711)));
		assertThatExceptionOfType(RdmaEndpointException.class).isThrownBy(registry::start)
			.withMessageContaining("'server'")
			.withMessageContaining("completion.cpu is 4711 but must be a CPU that this process may use")
			.withMessageContaining("sched_setaffinity")
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EINVAL.value()));
	}

}
