package io.github.rdmaboot.endpoint;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.rdmaboot.endpoint.destroy.StepReport;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints of a registry by name, in the order in which they were added. May be used
 * from any thread.
 */
final class EndpointDirectory {

	private final Map<String, ManagedEndpoint> endpoints = new LinkedHashMap<>();

	synchronized <E extends ManagedEndpoint> E add(E endpoint) {
		if (this.endpoints.putIfAbsent(endpoint.name(), endpoint) != null) {
			throw new IllegalArgumentException("There is an RDMA endpoint named '" + endpoint.name() + "' already");
		}
		return endpoint;
	}

	synchronized @Nullable ManagedEndpoint find(String name) {
		return this.endpoints.get(name);
	}

	synchronized List<ManagedEndpoint> all() {
		return new ArrayList<>(this.endpoints.values());
	}

	// A call of an endpoint that had been left behind returned.
	void returnedLate(String name, StepReport step) {
		ManagedEndpoint endpoint = find(name);
		if (endpoint != null) {
			endpoint.returnedLate(step);
		}
	}

}
