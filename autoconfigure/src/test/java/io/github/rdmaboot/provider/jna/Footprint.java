package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What this process holds that a destroy has to give back.
 *
 * @param kernelObjects what the kernel counts of RDMA objects
 * @param files open file descriptors
 * @param threads threads of endpoints
 */
public record Footprint(String kernelObjects, long files, long threads) {

	/**
	 * Take the present one.
	 * @return the footprint
	 */
	public static Footprint now() {
		String kernelObjects = KernelObjects.counts();
		return new Footprint(kernelObjects, countFiles(), countThreads());
	}

	/**
	 * Wait until the process holds no more than this. Less is no fault: what an earlier
	 * test left to end by itself, pipes of a child process for instance, may have been
	 * counted.
	 * @param limit how long to wait
	 * @param description what the process did meanwhile
	 */
	public void awaitNothingMore(Duration limit, String description) {
		await().atMost(limit).untilAsserted(() -> {
			Footprint now = now();
			assertThat(now.kernelObjects).as("kernel objects after %s", description).isEqualTo(this.kernelObjects);
			assertThat(now.files).as("open files after %s", description).isLessThanOrEqualTo(this.files);
			assertThat(now.threads).as("threads after %s", description).isLessThanOrEqualTo(this.threads);
		});
	}

	private static long countFiles() {
		try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
			return files.count();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static long countThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("rdma-"))
			.count();
	}

}
