package io.github.rdmaboot.actuate;

import java.util.List;

import io.github.rdmaboot.endpoint.RdmaDatagramEndpoint;
import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.endpoint.StuckCall;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of an endpoint.
 *
 * @param name the configured name
 * @param kind {@code server}, {@code client} or {@code datagrams}
 * @param state the state
 * @param address the configured address and port
 * @param cmId the CM id that listens, connects or has the datagram queue pair
 * @param connections the established connections
 * @param datagrams what only a datagram endpoint has, {@code null} for others
 * @param lastError what last took it down, or {@code null} if nothing did since it last
 * came up
 * @param stuckCalls the native calls of destroys that have not returned, as text
 * @param lastDestroy what the last destroy of it or of one of its connections did, or
 * {@code null} before the first
 */
public record EndpointDescriptor(String name, String kind, String state, String address, CmIdDescriptor cmId,
		List<ConnectionDescriptor> connections, @Nullable DatagramsDescriptor datagrams, @Nullable String lastError,
		List<String> stuckCalls, @Nullable DestroyDescriptor lastDestroy) implements OperationResponseBody {

	static EndpointDescriptor of(RdmaEndpoint endpoint) {
		RuntimeException error = endpoint.lastError();
		DestroyReport report = endpoint.lastDestroyReport();
		DatagramsDescriptor datagrams = (endpoint instanceof RdmaDatagramEndpoint candidate)
				? DatagramsDescriptor.of(candidate) : null;
		return new EndpointDescriptor(endpoint.name(), kind(endpoint), endpoint.state().name(), endpoint.address(),
				CmIdDescriptor.of(endpoint.cmId()),
				endpoint.connections().stream().map(ConnectionDescriptor::of).toList(), datagrams,
				(error != null) ? String.valueOf(error.getMessage()) : null,
				endpoint.stuckCalls().stream().map(StuckCall::toString).toList(),
				(report != null) ? DestroyDescriptor.of(report) : null);
	}

	private static String kind(RdmaEndpoint endpoint) {
		if (endpoint instanceof RdmaDatagramEndpoint) {
			return "datagrams";
		}
		return (endpoint instanceof RdmaServer) ? "server" : "client";
	}

}
