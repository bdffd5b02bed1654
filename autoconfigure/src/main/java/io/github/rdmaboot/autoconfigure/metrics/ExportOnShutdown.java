package io.github.rdmaboot.autoconfigure.metrics;

import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

/**
 * Lets push registries publish for the last time after the endpoints of a closing context
 * were destroyed. Spring Boot closes registries when it hears that the context closes,
 * which is before anything is stopped. This takes the listener that does so off the
 * context, and hands it the event itself once the destroy is over.
 * <p>
 * The context calls from the closing thread, or from that of an asynchronous event
 * multicaster. Only {@link #handOver()} is exclusive: its monitor is held while the
 * registries are closed, so that whoever comes second goes on when they are.
 */
final class ExportOnShutdown implements SmartInitializingSingleton, ApplicationListener<ContextClosedEvent>,
		SmartLifecycle, DisposableBean, BeanNameAware {

	private static final Logger logger = LoggerFactory.getLogger(ExportOnShutdown.class);

	private static final String CLOSER_BEAN_NAME = "meterRegistryCloser";

	private static final String CLOSER_PACKAGE = "org.springframework.boot.";

	private final ConfigurableApplicationContext context;

	private final ObjectProvider<RdmaEndpoints> endpointsProvider;

	private final PushRegistries registries;

	private final int phase;

	private String beanName = "";

	private volatile boolean running;

	private volatile @Nullable RdmaEndpoints endpoints;

	private volatile @Nullable ApplicationListener<ContextClosedEvent> closer;

	private volatile @Nullable ContextClosedEvent heldBack;

	private boolean handedOver;

	/**
	 * Create the lifecycle.
	 * @param context the context whose close is exported
	 * @param endpoints the endpoints. A provider, for injection would have them destroyed
	 * after this bean
	 * @param endpointsPhase the phase in which the endpoints stop
	 */
	ExportOnShutdown(ConfigurableApplicationContext context, ObjectProvider<RdmaEndpoints> endpoints,
			int endpointsPhase) {
		this.context = context;
		this.endpointsProvider = endpoints;
		this.registries = new PushRegistries(context.getBeanFactory());
		this.phase = (endpointsPhase != Integer.MIN_VALUE) ? endpointsPhase - 1 : endpointsPhase;
	}

	@Override
	public void setBeanName(String name) {
		this.beanName = name;
	}

	@Override
	public void afterSingletonsInstantiated() {
		RdmaEndpoints endpoints = this.endpointsProvider.getObject();
		if (endpoints.endpoints().isEmpty() || !this.registries.arePresent()) {
			return;
		}
		ApplicationListener<ContextClosedEvent> closer = findCloser();
		if (closer == null) {
			logger.warn("There is no listener '{}' of Spring Boot's, so push registries are left alone",
					CLOSER_BEAN_NAME);
			return;
		}
		this.endpoints = endpoints;
		this.closer = closer;
		takeOff(closer);
		destroyBetweenEndpointsAndRegistries();
	}

	@SuppressWarnings("unchecked")
	private @Nullable ApplicationListener<ContextClosedEvent> findCloser() {
		ConfigurableListableBeanFactory beanFactory = this.context.getBeanFactory();
		if (!beanFactory.containsLocalBean(CLOSER_BEAN_NAME)
				|| !beanFactory.containsLocalBean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME)) {
			return null;
		}
		Object candidate = beanFactory.getBean(CLOSER_BEAN_NAME);
		Class<?> event = ResolvableType.forClass(candidate.getClass()).as(ApplicationListener.class).resolveGeneric();
		boolean known = candidate.getClass().getName().startsWith(CLOSER_PACKAGE) && event == ContextClosedEvent.class;
		return known ? (ApplicationListener<ContextClosedEvent>) candidate : null;
	}

	// The context knows the listener as an object and by its bean name.
	private void takeOff(ApplicationListener<ContextClosedEvent> closer) {
		this.context.removeApplicationListener(closer);
		this.context.getBeanFactory()
			.getBean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
					ApplicationEventMulticaster.class)
			.removeApplicationListenerBean(CLOSER_BEAN_NAME);
	}

	// Registries are closed when they are destroyed as beans, too.
	private void destroyBetweenEndpointsAndRegistries() {
		ConfigurableListableBeanFactory beanFactory = this.context.getBeanFactory();
		for (String registry : this.registries.names()) {
			beanFactory.registerDependentBean(registry, this.beanName);
		}
		for (String endpoints : beanFactory.getBeanNamesForType(RdmaEndpoints.class, true, false)) {
			beanFactory.registerDependentBean(this.beanName, endpoints);
		}
	}

	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		RdmaEndpoints endpoints = this.endpoints;
		if (endpoints == null || event.getApplicationContext() != this.context) {
			return;
		}
		this.heldBack = event;
		if (!endpoints.isRunning() || !this.registries.arePresent()) {
			handOver();
		}
	}

	@Override
	public void start() {
		this.running = true;
	}

	/**
	 * Wait for the destroy of the endpoints, which was started in the phase before and
	 * has limits of its own, then have the registries closed. A pause closes none.
	 */
	@Override
	public void stop() {
		this.running = false;
		RdmaEndpoints endpoints = this.endpoints;
		if (endpoints == null || !this.context.isClosed()) {
			return;
		}
		try {
			endpoints.destroyAll(DestroyTrigger.SHUTDOWN);
		}
		finally {
			handOver();
		}
	}

	// The context waits for the callback, also when closing a registry fails.
	@Override
	public void stop(Runnable callback) {
		try {
			stop();
		}
		finally {
			callback.run();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

	/**
	 * Have the registries closed if no stop did. A failed start does not get here with a
	 * closed context; then the registries are closed as beans.
	 */
	@Override
	public void destroy() {
		if (this.context.isClosed()) {
			handOver();
		}
	}

	private synchronized void handOver() {
		ApplicationListener<ContextClosedEvent> closer = this.closer;
		if (closer == null || this.handedOver) {
			return;
		}
		this.handedOver = true;
		ContextClosedEvent event = this.heldBack;
		closer.onApplicationEvent((event != null) ? event : new ContextClosedEvent(this.context));
	}

}
