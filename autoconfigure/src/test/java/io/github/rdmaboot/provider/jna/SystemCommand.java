package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Commands that show or change the state of the kernel.
 */
final class SystemCommand {

	private SystemCommand() {
	}

	/**
	 * Run a command that must succeed.
	 * @param command the command, its words separated by blanks
	 * @return what it printed
	 */
	static String run(String command) {
		try {
			Process process = new ProcessBuilder(command.split(" ")).redirectErrorStream(true).start();
			String text = new String(process.getInputStream().readAllBytes());
			if (process.waitFor() != 0) {
				throw new IllegalStateException(command + " failed: " + text);
			}
			return text;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
