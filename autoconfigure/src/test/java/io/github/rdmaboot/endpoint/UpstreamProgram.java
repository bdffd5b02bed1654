package io.github.rdmaboot.endpoint;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One of rdma-core's example programs, as the peer of a test. What it prints goes to the
 * output of the test.
 */
final class UpstreamProgram {

	private static final int LIMIT_SECONDS = 240;

	private final Process process;

	private UpstreamProgram(Process process) {
		this.process = process;
	}

	static UpstreamProgram start(String... command) throws IOException {
		return new UpstreamProgram(new ProcessBuilder(List.of(command)).inheritIO().start());
	}

	boolean isRunning() {
		return this.process.isAlive();
	}

	int exitStatus() throws InterruptedException {
		try {
			assertThat(this.process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
				.as("%s ended within %d s", this.process.info(), LIMIT_SECONDS)
				.isTrue();
			return this.process.exitValue();
		}
		finally {
			this.process.destroyForcibly();
		}
	}

}
