package io.github.rdmaboot.autoconfigure;

import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Publishes each {@link DestroyReport} as an application event while the context is
 * active, which it still is when endpoints stop at its close. Listeners run on a thread
 * of the destroy's own, which waits for them within its limit.
 */
class DestroyReportPublisher implements DestroyListener {

	private final ConfigurableApplicationContext context;

	DestroyReportPublisher(ConfigurableApplicationContext context) {
		this.context = context;
	}

	@Override
	public void destroyEnded(DestroyReport report) {
		if (this.context.isActive()) {
			this.context.publishEvent(report);
		}
	}

}
