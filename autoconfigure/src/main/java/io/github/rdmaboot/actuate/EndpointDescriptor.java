package io.github.rdmaboot.actuate;

import java.util.List;

import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of an endpoint.
 *
 * @param name the configured name
 * @param kind {@code server} or {@code client}
 * @param state the state
 * @param address the configured address and port
 * @param cmId the CM id that listens or connects
 * @param connections the established connections
 * @param lastError what last took it down, or {@code null} if nothing did since it last
 * came up
 * @param lastDestroy what the last destroy of it or of one of its connections did, or
 * {@code null} before the first
 */
public record EndpointDescriptor(String name, String kind, String state, String address, CmIdDescriptor cmId,
		List<ConnectionDescriptor> connections, @Nullable String lastError,
		@Nullable DestroyDescriptor lastDestroy) implements OperationResponseBody {

	static EndpointDescriptor of(RdmaEndpoint endpoint) {
		RuntimeException error = endpoint.lastError();
		DestroyReport report = endpoint.lastDestroyReport();
		return new EndpointDescriptor(endpoint.name(), (endpoint instanceof RdmaServer) ? "server" : "client",
				endpoint.state().name(), endpoint.address(), CmIdDescriptor.of(endpoint.cmId()),
				endpoint.connections().stream().map(ConnectionDescriptor::of).toList(),
				(error != null) ? String.valueOf(error.getMessage()) : null,
				(report != null) ? DestroyDescriptor.of(report) : null);
	}

}
