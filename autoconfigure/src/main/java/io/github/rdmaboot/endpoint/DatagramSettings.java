package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Settings of a datagram endpoint.
 *
 * @param name the configured name
 * @param address the local address or host name, which decides on the device
 * @param port the port on which peers ask for the queue pair, 0 to 65535; 0 takes an
 * ephemeral one; {@code null} if none need to ask
 * @param backlog how many of them may wait to be answered; 0 takes the system's maximum
 * @param resolveTimeout the limit of resolving a peer's address, and that of resolving
 * the route to it
 * @param connectTimeout the limit of asking a peer for its queue pair, and of joining a
 * multicast group
 * @param groups the multicast groups to join at the start
 * @param bufferCount how many buffers there are for sending, and as many for receiving,
 * from 1 to 16384. Each holds the largest datagram that the device's port takes
 * @param maxPeers how many address handles, and how many senders of datagrams, are kept
 * at most, from 1
 * @param tos the type of service of the packets, 0 to 255, or {@code null} for the
 * system's
 * @param completion how completions are taken and handed on
 * @param relisten how to come up again after the device was removed that has the address
 */
public record DatagramSettings(String name, String address, @Nullable Integer port, int backlog,
		Duration resolveTimeout, Duration connectTimeout, List<InetAddress> groups, int bufferCount, int maxPeers,
		@Nullable Integer tos, CompletionSettings completion, ReconnectSettings relisten) {

	public DatagramSettings {
		groups = List.copyOf(groups);
		Settings.notEmpty("name", name);
		Settings.host("address", address);
		if (address.equals("*")) {
			throw new IllegalArgumentException(
					"address is * but must be an address of this machine, for it decides on the device");
		}
		if (port != null) {
			Settings.between("port", port, 0, 65535);
		}
		Settings.atLeast("backlog", backlog, 0);
		Settings.positive("resolve-timeout", resolveTimeout);
		Settings.positive("connect-timeout", connectTimeout);
		groups.stream().filter((group) -> !group.isMulticastAddress()).findFirst().ifPresent((group) -> {
			throw notAGroup(group.getHostAddress(), null);
		});
		Settings.between("memory.buffer-count", bufferCount, 1, 16384);
		Settings.atLeast("max-peers", maxPeers, 1);
		if (tos != null) {
			Settings.between("tos", tos, 0, 255);
		}
	}

	/**
	 * Return the address of a multicast group.
	 * @param address the address as text, not a host name
	 * @return the address
	 * @throws IllegalArgumentException if it is no such address
	 */
	public static InetAddress group(String address) {
		try {
			InetAddress group = AddressLiteral.read(address);
			if (group != null && group.isMulticastAddress()) {
				return group;
			}
			throw notAGroup(address, null);
		}
		catch (UnknownHostException ex) {
			throw notAGroup(address, ex);
		}
	}

	private static IllegalArgumentException notAGroup(String address, @Nullable Throwable cause) {
		return new IllegalArgumentException("multicast.groups is " + address
				+ " but must be addresses of multicast groups, from 224.0.0.0 to 239.255.255.255 or from ff00::",
				cause);
	}

}
