package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.InetSocketAddress;

import org.jspecify.annotations.Nullable;

/**
 * Addresses as text for messages.
 */
final class Addresses {

	private Addresses() {
	}

	static String format(@Nullable InetSocketAddress address) {
		if (address == null) {
			return "unknown address";
		}
		InetAddress host = address.getAddress();
		return format((host != null) ? host.getHostAddress() : address.getHostString(), address.getPort());
	}

	static String format(String host, int port) {
		return ((host.indexOf(':') >= 0) ? "[" + host + "]" : host) + ":" + port;
	}

}
