package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Shortens the time for which TCP, and iWARP with it, tries to reach a host that does not
 * answer: 15 s instead of two minutes, until closed.
 */
public final class SilentHosts implements AutoCloseable {

	private static final Path SYN_RETRIES = Path.of("/proc/sys/net/ipv4/tcp_syn_retries");

	private final String before;

	private SilentHosts(String before) {
		this.before = before;
	}

	/**
	 * Shorten the time.
	 * @return what restores it
	 * @throws IOException if the setting of the kernel cannot be changed
	 */
	public static SilentHosts giveUpSoon() throws IOException {
		String before = Files.readString(SYN_RETRIES);
		Files.writeString(SYN_RETRIES, "3");
		return new SilentHosts(before);
	}

	@Override
	public void close() throws IOException {
		Files.writeString(SYN_RETRIES, this.before);
	}

}
