package io.github.rdmaboot.actuate;

import java.util.List;

import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.provider.DeviceDescription;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of all endpoints.
 *
 * @param running whether they are started
 * @param provider the provider of the RDMA calls, or {@code null} before the first start
 * @param unacknowledgedEvents how many CM events were delivered but not acknowledged
 * @param devices the RDMA devices as they were when endpoints started
 * @param endpoints the endpoints, servers first
 */
public record RdmaDescriptor(boolean running, @Nullable String provider, long unacknowledgedEvents,
		List<DeviceDescription> devices, List<EndpointDescriptor> endpoints) implements OperationResponseBody {

	static RdmaDescriptor of(RdmaEndpoints endpoints) {
		return new RdmaDescriptor(endpoints.isRunning(), endpoints.providerName(), endpoints.unacknowledgedEvents(),
				endpoints.devices(), endpoints.endpoints().stream().map(EndpointDescriptor::of).toList());
	}

}
