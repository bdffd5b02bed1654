package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/**
 * Commands that show or change the state of the kernel.
 */
public final class SystemCommand {

	private static final int LIMIT_SECONDS = 60;

	private SystemCommand() {
	}

	/**
	 * Run a command that must succeed within a minute; one that deletes a device waits
	 * for everybody who uses it.
	 * @param command the command, its words separated by blanks
	 * @return what it printed
	 */
	public static String run(String command) {
		try {
			Process process = new ProcessBuilder(command.split(" ")).redirectErrorStream(true).start();
			try {
				if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
					throw new IllegalStateException(command + " did not end within " + LIMIT_SECONDS + " s");
				}
				String text = new String(process.getInputStream().readAllBytes());
				if (process.exitValue() != 0) {
					throw new IllegalStateException(command + " failed: " + text);
				}
				return text;
			}
			finally {
				process.destroyForcibly();
				// At once, for somebody may count open files.
				process.getInputStream().close();
				process.getErrorStream().close();
				process.getOutputStream().close();
			}
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
