package io.github.rdmaboot.actuate;

import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * {@link Endpoint} that describes all RDMA endpoints, or one by its name. Reads memory
 * only.
 */
@Endpoint(id = "rdma")
public class RdmaActuatorEndpoint {

	private final RdmaEndpoints endpoints;

	/**
	 * Create the endpoint.
	 * @param endpoints the endpoints to describe
	 */
	public RdmaActuatorEndpoint(RdmaEndpoints endpoints) {
		this.endpoints = endpoints;
	}

	/**
	 * Describe all endpoints.
	 * @return the provider, its devices and the endpoints
	 */
	@ReadOperation
	public RdmaDescriptor rdma() {
		return RdmaDescriptor.of(this.endpoints);
	}

	/**
	 * Describe one endpoint.
	 * @param name its configured name
	 * @return the endpoint, or {@code null} if there is none of this name
	 */
	@ReadOperation
	public @Nullable EndpointDescriptor endpoint(@Selector String name) {
		RdmaEndpoint endpoint = this.endpoints.find(name);
		return (endpoint != null) ? EndpointDescriptor.of(endpoint) : null;
	}

}
