package io.github.rdmaboot.metrics;

import java.time.Duration;

import io.github.rdmaboot.endpoint.RdmaEndpointException;
import io.github.rdmaboot.provider.Errno;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Meters of attempts to connect or accept.
 */
final class ConnectMeters {

	private final MeterRegistry registry;

	ConnectMeters(MeterRegistry registry) {
		this.registry = registry;
	}

	void register(String endpoint) {
		connect(endpoint, "success", RdmaMeters.NONE);
	}

	void record(String endpoint, Duration took, @Nullable RdmaEndpointException error) {
		Timer timer = (error != null) ? connect(endpoint, "failure", Errno.symbol(error.errno()))
				: connect(endpoint, "success", RdmaMeters.NONE);
		timer.record(took);
	}

	private Timer connect(String endpoint, String result, String error) {
		return Timer.builder(RdmaMeters.CONNECT)
			.description("Attempts to connect or accept")
			.tags(RdmaMeters.ENDPOINT, endpoint, RdmaMeters.RESULT, result, RdmaMeters.ERROR, error)
			.register(this.registry);
	}

}
