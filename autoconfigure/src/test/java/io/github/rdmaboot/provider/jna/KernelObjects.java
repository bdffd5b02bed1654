package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What the kernel says of RDMA objects in use.
 */
public final class KernelObjects {

	private KernelObjects() {
	}

	/**
	 * Return the counts that {@code rdma resource show} prints, without those of device
	 * contexts: librdmacm keeps the contexts that it opened as long as the process lives.
	 * @return the text
	 */
	public static String counts() {
		try {
			Process process = new ProcessBuilder("rdma", "resource", "show").redirectErrorStream(true).start();
			String text = new String(process.getInputStream().readAllBytes());
			if (process.waitFor() != 0) {
				throw new IllegalStateException("rdma resource show failed: " + text);
			}
			return text.replaceAll(" ctx \\d+", "").strip();
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
