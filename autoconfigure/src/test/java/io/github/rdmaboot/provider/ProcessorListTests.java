package io.github.rdmaboot.provider;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ProcessorListTests {

	@TempDir
	private Path directory;

	private ProcessorList read(String status) throws Exception {
		return ProcessorList.ofProcess(Files.writeString(this.directory.resolve("status"), status));
	}

	@Test
	void rangesAndSingleProcessorsAreAsLinuxListsThem() throws Exception {
		ProcessorList processors = read(
				"Name:\tjava\nCpus_allowed:\t1dc\nCpus_allowed_list:\t2-4,6,10-11\nThreads:\t1\n");

		assertThat(processors).hasToString("2-4,6,10-11");
		for (int allowed : new int[] { 2, 3, 4, 6, 10, 11 }) {
			assertThat(processors.contains(allowed)).as("processor %d", allowed).isTrue();
		}
		for (int other : new int[] { 0, 1, 5, 7, 9, 12, 99 }) {
			assertThat(processors.contains(other)).as("processor %d", other).isFalse();
		}
	}

	@Test
	void whereNothingIsListedThereAreAsManyAsJavaSees() throws Exception {
		int count = Runtime.getRuntime().availableProcessors();

		for (ProcessorList processors : new ProcessorList[] { read("Name:\tjava\n"),
				ProcessorList.ofProcess(this.directory.resolve("none")) }) {
			assertThat(processors.contains(count - 1)).isTrue();
			assertThat(processors.contains(count)).isFalse();
		}
	}

}
