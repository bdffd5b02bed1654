package io.github.rdmaboot.autoconfigure;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import io.github.rdmaboot.cm.CmId;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaDatagramEndpoint;
import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.RdmaServer;

import org.springframework.aop.interceptor.AsyncExecutionAspectSupport;
import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;

/**
 * Registers a bean {@code <name>} for each configured endpoint, and {@code <name>.cmId}
 * for its CM id. The beans are views of what {@link RdmaEndpoints} holds, which therefore
 * is destroyed after everything that uses an endpoint.
 */
class RdmaEndpointRegistrar implements BeanRegistrar {

	static final String CM_ID_SUFFIX = ".cmId";

	/**
	 * Taken by the health contributor of the devices, next to those of the endpoints, and
	 * by the meter of a stop of all endpoints.
	 */
	private static final Set<String> RESERVED_NAMES = Set.of("devices", "all");

	/**
	 * Names of beans that Spring registers without a definition that would clash, or by
	 * which it looks for a bean of a type of its own.
	 */
	private static final Set<String> NAMES_OF_SPRING = Set.of(ConfigurableApplicationContext.ENVIRONMENT_BEAN_NAME,
			ConfigurableApplicationContext.SYSTEM_PROPERTIES_BEAN_NAME,
			ConfigurableApplicationContext.SYSTEM_ENVIRONMENT_BEAN_NAME,
			ConfigurableApplicationContext.APPLICATION_STARTUP_BEAN_NAME,
			ConfigurableApplicationContext.CONVERSION_SERVICE_BEAN_NAME,
			ConfigurableApplicationContext.LOAD_TIME_WEAVER_BEAN_NAME,
			ConfigurableApplicationContext.BOOTSTRAP_EXECUTOR_BEAN_NAME,
			AbstractApplicationContext.MESSAGE_SOURCE_BEAN_NAME,
			AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
			AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME,
			ScheduledAnnotationBeanPostProcessor.DEFAULT_TASK_SCHEDULER_BEAN_NAME,
			AsyncExecutionAspectSupport.DEFAULT_TASK_EXECUTOR_BEAN_NAME);

	@Override
	public void register(BeanRegistry registry, Environment environment) {
		KnownRdmaProperties known = new KnownRdmaProperties();
		RdmaProperties properties = Binder.get(environment)
			.bindOrCreate("rdma", Bindable.of(RdmaProperties.class), known);
		Iterable<ConfigurationPropertySource> sources = ConfigurationPropertySources.get(environment);
		known.requireNoOthers(sources);
		known.requireEndpoints(sources, "rdma.servers", "port", properties.servers().keySet());
		known.requireEndpoints(sources, "rdma.clients", "address", properties.clients().keySet());
		known.requireEndpoints(sources, "rdma.datagrams", "address", properties.datagrams().keySet());
		requireDistinct("rdma.servers", properties.servers().keySet());
		requireDistinct("rdma.clients", properties.clients().keySet());
		requireDistinct("rdma.datagrams", properties.datagrams().keySet());
		Map<String, String> owners = new LinkedHashMap<>();
		properties.servers().keySet().forEach((name) -> claim(owners, name, "rdma.servers"));
		properties.clients().keySet().forEach((name) -> claim(owners, name, "rdma.clients"));
		properties.datagrams().keySet().forEach((name) -> claim(owners, name, "rdma.datagrams"));
		properties.servers().keySet().forEach((name) -> register(registry, name, RdmaServer.class));
		properties.clients().keySet().forEach((name) -> register(registry, name, RdmaClient.class));
		properties.datagrams().keySet().forEach((name) -> register(registry, name, RdmaDatagramEndpoint.class));
	}

	// Two such names would be two endpoints with the same settings, of which an
	// environment variable may have made one that was to change a setting of the other.
	private static void requireDistinct(String map, Set<String> names) {
		Map<ConfigurationPropertyName, String> distinct = new HashMap<>();
		for (String name : names) {
			String same = distinct.putIfAbsent(ConfigurationPropertyName.adapt(SettingsConverter.path(map, name), '.'),
					name);
			if (same != null) {
				throw new InvalidRdmaNameException(name, "The names '" + same + "' and '" + name + "' under " + map
						+ " cannot be told apart, since case and dashes do not count in names of properties. In that "
						+ "of an environment variable a dash is an underscore, and a capital letter cannot be written");
			}
		}
	}

	private void claim(Map<String, String> owners, String name, String map) {
		if (name.isBlank() || name.indexOf('/') >= 0 || RESERVED_NAMES.contains(name)) {
			throw new InvalidRdmaNameException(name, "The name '" + name + "' under " + map
					+ " cannot be used: it must not be empty, contain a '/' or be 'devices' or 'all'");
		}
		if (NAMES_OF_SPRING.contains(name)) {
			throw new InvalidRdmaNameException(name, "The name '" + name + "' under " + map
					+ " cannot be used: Spring itself has or looks for a bean of that name");
		}
		for (String bean : new String[] { name, name + CM_ID_SUFFIX }) {
			String owner = owners.putIfAbsent(bean, "'" + name + "' under " + map);
			if (owner != null) {
				throw new InvalidRdmaNameException(name, "The endpoints " + owner + " and '" + name + "' under " + map
						+ " both need a bean named '" + bean + "'");
			}
		}
	}

	private <T extends RdmaEndpoint> void register(BeanRegistry registry, String name, Class<T> type) {
		registry.registerBean(name, type, (spec) -> spec.description("RDMA endpoint '" + name + "'")
			.supplier((context) -> type.cast(find(context.bean(RdmaEndpoints.class), name))));
		registry.registerBean(name + CM_ID_SUFFIX, CmId.class,
				(spec) -> spec.description("CM id of the RDMA endpoint '" + name + "'")
					.supplier((context) -> find(context.bean(RdmaEndpoints.class), name).cmId()));
	}

	private static RdmaEndpoint find(RdmaEndpoints endpoints, String name) {
		RdmaEndpoint endpoint = endpoints.find(name);
		if (endpoint == null) {
			throw new IllegalStateException("No RDMA endpoint is named '" + name + "'");
		}
		return endpoint;
	}

}
