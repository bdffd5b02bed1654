package io.github.rdmaboot.actuate;

import java.net.InetAddress;
import java.util.List;

import io.github.rdmaboot.endpoint.RdmaDatagramEndpoint;

/**
 * Description of what only a datagram endpoint has.
 *
 * @param port the port on which peers ask for its queue pair, or 0 while nobody can
 * @param maxMessageSize the size of the largest datagram in bytes, or 0 while it is not
 * started
 * @param groups the multicast groups that it has joined
 * @param addressHandles how many address handles it has
 */
public record DatagramsDescriptor(int port, int maxMessageSize, List<String> groups, int addressHandles) {

	static DatagramsDescriptor of(RdmaDatagramEndpoint endpoint) {
		return new DatagramsDescriptor(endpoint.port(), endpoint.maxMessageSize(),
				endpoint.groups().keySet().stream().map(InetAddress::getHostAddress).toList(),
				endpoint.addressHandles());
	}

}
