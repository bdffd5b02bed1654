package io.github.rdmaboot.autoconfigure.metrics;

import java.util.Arrays;
import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.push.PushMeterRegistry;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Finds the registries of a context that publish what they count. Those of a parent are
 * left out: they outlive the context. Creates no bean.
 */
final class PushRegistries {

	private final ConfigurableListableBeanFactory beanFactory;

	PushRegistries(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	boolean arePresent() {
		return names().stream().anyMatch(this::isPush);
	}

	List<String> names() {
		return Arrays.asList(this.beanFactory.getBeanNamesForType(MeterRegistry.class, false, false));
	}

	// The declared type of a bean often says no more than that it is a registry.
	private boolean isPush(String name) {
		if (this.beanFactory.containsSingleton(name)) {
			return isPush(this.beanFactory.getBean(name, MeterRegistry.class));
		}
		return this.beanFactory.isTypeMatch(name, PushMeterRegistry.class);
	}

	private static boolean isPush(MeterRegistry registry) {
		if (registry instanceof CompositeMeterRegistry composite) {
			return composite.getRegistries().stream().anyMatch(PushRegistries::isPush);
		}
		return registry instanceof PushMeterRegistry;
	}

}
