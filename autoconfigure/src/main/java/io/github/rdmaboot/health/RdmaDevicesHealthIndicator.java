package io.github.rdmaboot.health;

import java.util.List;
import java.util.stream.Collectors;

import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.StuckCall;
import io.github.rdmaboot.provider.DeviceDescription;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * {@link HealthIndicator} of the RDMA devices as they were when endpoints started:
 * {@code UP} with the state of each port, {@code DOWN} without a device or while the call
 * that ends a stop is stuck, {@code UNKNOWN} while endpoints are not started. Reads
 * memory only.
 */
public class RdmaDevicesHealthIndicator extends AbstractHealthIndicator {

	private final RdmaEndpoints endpoints;

	/**
	 * Create the indicator.
	 * @param endpoints the endpoints, which know the devices
	 */
	public RdmaDevicesHealthIndicator(RdmaEndpoints endpoints) {
		this.endpoints = endpoints;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		List<StuckCall> stuck = this.endpoints.stuckCalls();
		if (!stuck.isEmpty()) {
			builder.down().withDetail("reason", "Native calls of a stop are stuck: " + stuck);
			return;
		}
		if (!this.endpoints.isRunning()) {
			builder.unknown().withDetail("reason", "RDMA endpoints are not started");
			return;
		}
		String provider = this.endpoints.providerName();
		if (provider != null) {
			builder.withDetail("provider", provider);
		}
		List<DeviceDescription> devices = this.endpoints.devices();
		if (devices.isEmpty()) {
			builder.down().withDetail("reason", "There is no RDMA device");
			return;
		}
		builder.up();
		devices.forEach((device) -> builder.withDetail(device.name(), describe(device)));
	}

	private static String describe(DeviceDescription device) {
		return device.ports()
			.stream()
			.map((port) -> "port " + port.number() + " " + port.state() + " " + port.linkLayer() + " "
					+ port.networkDevices())
			.collect(Collectors.joining(", "));
	}

}
