package io.github.rdmaboot.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the example in README to the class that is compiled and run.
 */
class ReadmeTests {

	private static final Path EXAMPLE = Path.of("src/test/java/io/github/rdmaboot/sample/EchoFaultsTests.java");

	@Test
	void showsTheExampleAsItIsRun() throws IOException {
		String source = Files.readString(EXAMPLE);
		List<String> imports = source.lines().filter((line) -> line.startsWith("import io.github.rdmaboot.")).toList();
		assertThat(imports).isNotEmpty();
		assertThat(Files.readString(Path.of("../README.md"))).contains(imports)
			.contains(source.substring(source.indexOf("@SpringBootTest(")).strip());
	}

}
