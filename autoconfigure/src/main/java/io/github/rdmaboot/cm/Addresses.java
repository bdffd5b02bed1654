package io.github.rdmaboot.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;

import org.jspecify.annotations.Nullable;

/**
 * Addresses as text for people. May be called from any thread; looks up no name.
 */
public final class Addresses {

	private Addresses() {
	}

	/**
	 * Return an address and its port as text.
	 * @param address the address, or {@code null} if it is not known
	 * @return the text, {@code 192.0.2.1:7471} or {@code [2001:db8::1]:7471} for instance
	 */
	public static String format(@Nullable InetSocketAddress address) {
		if (address == null) {
			return "unknown address";
		}
		InetAddress host = address.getAddress();
		return format((host != null) ? host.getHostAddress() : address.getHostString(), address.getPort());
	}

	/**
	 * Return an address and its port as text.
	 * @param host the address or host name
	 * @param port the port, 0 to 65535
	 * @return the text, with brackets around an IPv6 address
	 */
	public static String format(String host, int port) {
		return ((host.indexOf(':') >= 0) ? "[" + host + "]" : host) + ":" + port;
	}

}
