package io.github.rdmaboot.endpoint;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.rdmaboot.cm.CmId;
import io.github.rdmaboot.cm.CmIdState;

/**
 * Counts the CM ids of endpoints and of their connections, from memory alone.
 */
final class CmIdCensus {

	private final Supplier<List<ManagedEndpoint>> endpoints;

	CmIdCensus(Supplier<List<ManagedEndpoint>> endpoints) {
		this.endpoints = endpoints;
	}

	long unacknowledgedEvents() {
		return ids().stream().mapToLong((id) -> id.deliveredEvents() - id.acknowledgedEvents()).sum();
	}

	Map<CmIdState, Integer> idsByState() {
		Map<CmIdState, Integer> counts = new EnumMap<>(CmIdState.class);
		ids().forEach((id) -> counts.merge(id.state(), 1, Integer::sum));
		return counts;
	}

	private List<CmId> ids() {
		return this.endpoints.get().stream().flatMap(CmIdCensus::ids).toList();
	}

	// The connection of a client has the id of the client.
	private static Stream<CmId> ids(ManagedEndpoint endpoint) {
		Stream<CmId> connections = endpoint.allConnections()
			.stream()
			.map(RdmaConnection::cmId)
			.filter((id) -> id != endpoint.cmId());
		return Stream.of(Stream.of(endpoint.cmId()), endpoint.otherIds().stream(), connections)
			.flatMap(Function.identity());
	}

}
