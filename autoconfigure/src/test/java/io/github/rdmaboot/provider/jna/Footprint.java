package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

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
