package io.github.rdmaboot.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import io.github.rdmaboot.endpoint.RdmaEndpoints;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.env.Environment;

/**
 * Warns when Spring would stop waiting before the orderly destroy has reached its own
 * limit, if there are endpoints.
 */
class ShutdownTimeoutCheck implements SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(ShutdownTimeoutCheck.class);

	private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";

	/** What Spring Boot takes unless configured otherwise. */
	private static final Duration DEFAULT_PHASE_TIMEOUT = Duration.ofSeconds(30);

	private final Duration timeout;

	private final Environment environment;

	private final RdmaEndpoints endpoints;

	ShutdownTimeoutCheck(RdmaEndpoints endpoints, Duration timeout, Environment environment) {
		this.endpoints = endpoints;
		this.timeout = timeout;
		this.environment = environment;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.endpoints.endpoints().isEmpty()) {
			return;
		}
		Duration phaseTimeout = Binder.get(this.environment)
			.bind(PHASE_TIMEOUT, Duration.class)
			.orElse(DEFAULT_PHASE_TIMEOUT);
		if (this.timeout.compareTo(phaseTimeout) >= 0) {
			logger.warn(
					"rdma.shutdown.timeout is {} but should be less than {}, which is {}: "
							+ "beans are destroyed after that even if RDMA endpoints still are being destroyed",
					text(this.timeout), PHASE_TIMEOUT, text(phaseTimeout));
		}
	}

	private static String text(Duration duration) {
		return DurationStyle.SIMPLE.print(duration,
				(duration.toMillisPart() == 0) ? ChronoUnit.SECONDS : ChronoUnit.MILLIS);
	}

}
