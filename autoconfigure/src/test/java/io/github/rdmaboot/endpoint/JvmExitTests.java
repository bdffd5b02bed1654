package io.github.rdmaboot.endpoint;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a JVM ends when the application has, whatever is stuck.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JvmExitTests {

	@Test
	void aJvmWhoseMainReturnsEndsByItselfThoughCallsAreStuck(@TempDir Path folder) throws Exception {
		Path output = folder.resolve("output");
		Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1",
				"-XX:+UseSerialGC", "-Xmx256m", "-cp", System.getProperty("java.class.path"),
				StuckAtExit.class.getName())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			boolean ended = process.waitFor(60, TimeUnit.SECONDS);
			String printed = Files.readString(output);
			assertThat(printed).contains("threads that keep the JVM: []", "main returns");
			assertThat(ended).as("whether the JVM ended, which printed %s", printed).isTrue();
			assertThat(process.exitValue()).as("exit status of the JVM, which printed %s", printed).isZero();
		}
		finally {
			process.destroyForcibly();
		}
	}

}
