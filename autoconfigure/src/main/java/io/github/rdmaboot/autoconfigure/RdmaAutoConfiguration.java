package io.github.rdmaboot.autoconfigure;

import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.rdmaboot.endpoint.ConnectListener;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * Auto-configuration of the RDMA endpoints that are configured under
 * {@code rdma.servers}, {@code rdma.clients} and {@code rdma.datagrams}.
 * <p>
 * A bean of type {@link RdmaProvider} takes the place of the configured provider. It is
 * asked for at each start of the endpoints, on a thread of its own, and closed at each
 * stop; one that cannot be used again after that needs the scope {@code prototype}.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "rdma.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RdmaProperties.class)
@Import(RdmaEndpointRegistrar.class)
public final class RdmaAutoConfiguration {

	/**
	 * Name of the bean of type {@link Executor} on which handlers of endpoints run and
	 * their futures are completed. Without one they run on virtual threads if
	 * {@code spring.threads.virtual.enabled} is set and Java has them, otherwise on
	 * daemon threads of the endpoints' own.
	 */
	public static final String HANDLER_EXECUTOR_BEAN_NAME = "rdmaHandlerExecutor";

	@Bean
	@ConditionalOnMissingBean
	RdmaEndpoints rdmaEndpoints(RdmaProperties properties, ObjectProvider<RdmaProvider> providers,
			@Qualifier(HANDLER_EXECUTOR_BEAN_NAME) ObjectProvider<Executor> handlerExecutors, Environment environment) {
		RdmaProviderFactory factory = new RdmaProviderFactory(properties.provider());
		Supplier<RdmaProvider> provider = () -> providers.getIfAvailable(factory);
		RdmaEndpoints endpoints = SettingsConverter.registry(properties, provider,
				handlerExecutor(handlerExecutors.getIfAvailable(), environment));
		properties.servers().forEach((name, server) -> endpoints.addServer(SettingsConverter.server(name, server)));
		properties.clients().forEach((name, client) -> endpoints.addClient(SettingsConverter.client(name, client)));
		properties.datagrams()
			.forEach((name, datagrams) -> endpoints.addDatagrams(SettingsConverter.datagrams(name, datagrams)));
		return endpoints;
	}

	private static @Nullable Executor handlerExecutor(@Nullable Executor configured, Environment environment) {
		if (configured instanceof ThreadPoolTaskExecutor pool) {
			return new TaskExecutorUntilShutdown(pool);
		}
		if (configured != null) {
			return configured;
		}
		return Threading.VIRTUAL.isActive(environment) ? new VirtualThreadTaskExecutor("rdma-handler-") : null;
	}

	@Bean
	RdmaLifecycle rdmaLifecycle(RdmaEndpoints endpoints, RdmaProperties properties,
			ConfigurableApplicationContext context) {
		return new RdmaLifecycle(endpoints, properties.lifecycle(), context);
	}

	@Bean
	RdmaQuiesceLifecycle rdmaQuiesceLifecycle(RdmaEndpoints endpoints) {
		return new RdmaQuiesceLifecycle(endpoints);
	}

	@Bean
	ListenerBinding rdmaListenerBinding(RdmaEndpoints endpoints, ObjectProvider<DestroyListener> destroyListeners,
			ObjectProvider<ConnectListener> connectListeners) {
		return new ListenerBinding(endpoints, destroyListeners, connectListeners);
	}

	@Bean
	DestroyReportPublisher rdmaDestroyReportPublisher(ConfigurableApplicationContext context) {
		return new DestroyReportPublisher(context);
	}

	@Bean
	ShutdownTimeoutCheck rdmaShutdownTimeoutCheck(RdmaEndpoints endpoints, RdmaProperties properties,
			Environment environment) {
		return new ShutdownTimeoutCheck(endpoints, properties.shutdown().timeout(), environment);
	}

}
