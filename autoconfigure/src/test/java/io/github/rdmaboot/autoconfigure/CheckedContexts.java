package io.github.rdmaboot.autoconfigure;

import io.github.rdmaboot.endpoint.CheckedEndpoints;
import io.github.rdmaboot.endpoint.RdmaEndpoints;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Checks the order of all native calls in a context. The test class path registers it for
 * every application that Boot starts.
 */
public final class CheckedContexts implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	/**
	 * Return what runs contexts that are checked.
	 * @return the runner
	 */
	public static ApplicationContextRunner runner() {
		return new ApplicationContextRunner().withInitializer(new CheckedContexts());
	}

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		context.getBeanFactory().addBeanPostProcessor(new BeanPostProcessor() {

			@Override
			public Object postProcessBeforeInitialization(Object bean, String beanName) {
				return (bean instanceof RdmaEndpoints endpoints) ? CheckedEndpoints.check(endpoints) : bean;
			}

		});
	}

}
