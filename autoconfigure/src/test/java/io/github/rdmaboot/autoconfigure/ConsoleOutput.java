package io.github.rdmaboot.autoconfigure;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Captures what is printed while it is open. Spring Boot's own extension needs Jupiter 6.
 */
final class ConsoleOutput implements AutoCloseable {

	private final PrintStream out = System.out;

	private final PrintStream err = System.err;

	private final ByteArrayOutputStream captured = new ByteArrayOutputStream();

	ConsoleOutput() {
		PrintStream stream = new PrintStream(this.captured, true, StandardCharsets.UTF_8);
		System.setOut(stream);
		System.setErr(stream);
	}

	@Override
	public String toString() {
		return this.captured.toString(StandardCharsets.UTF_8);
	}

	@Override
	public void close() {
		System.setOut(this.out);
		System.setErr(this.err);
	}

}
