package io.github.rdmaboot.test;

import java.net.InetAddress;
import java.util.List;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackFaults;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of {@link AutoConfigureRdmaLoopback}.
 */
@AutoConfiguration
final class RdmaLoopbackTestAutoConfiguration {

	@Bean
	LoopbackFabric loopbackFabric(Environment environment) {
		LoopbackFabric fabric = new LoopbackFabric();
		Binder.get(environment)
			.bind("rdma.test.loopback.addresses", Bindable.listOf(InetAddress.class))
			.orElse(List.of())
			.forEach(fabric::addAddress);
		return fabric;
	}

	@Bean
	LoopbackFaults loopbackFaults(LoopbackFabric fabric) {
		return fabric.faults();
	}

	// Endpoints close their provider at each stop and ask for another at each start.
	@Bean
	@Primary
	@Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
	RdmaProvider loopbackRdmaProvider(LoopbackFabric fabric) {
		return new LoopbackRdmaProvider(fabric);
	}

	@Bean
	static BeanFactoryPostProcessor localRdmaPorts(ConfigurableEnvironment environment) {
		return (beanFactory) -> environment.getPropertySources().addFirst(new LocalRdmaPorts(beanFactory));
	}

}
