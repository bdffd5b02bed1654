package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Reads addresses that are written as such, which needs no name service, and so no thread
 * and no limit.
 */
final class AddressLiteral {

	private static final String BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

	private static final Pattern IPV4 = Pattern.compile("(?:" + BYTE + "\\.){3}" + BYTE);

	private AddressLiteral() {
	}

	/**
	 * Read an address. What has a colon is one of IPv6, perhaps in brackets, and never a
	 * host name.
	 * @param text the address or a host name
	 * @return the address, or {@code null} for a host name
	 * @throws UnknownHostException if it has a colon and is no address of IPv6, or its
	 * zone is none of this machine
	 */
	static @Nullable InetAddress read(String text) throws UnknownHostException {
		if (text.indexOf(':') >= 0) {
			// Without brackets the name service is asked for what is no address.
			return InetAddress.getByName(text.startsWith("[") ? text : "[" + text + "]");
		}
		return IPV4.matcher(text).matches() ? InetAddress.getByName(text) : null;
	}

}
