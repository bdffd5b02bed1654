package io.github.rdmaboot.autoconfigure;

import java.util.concurrent.atomic.AtomicBoolean;

import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Starts and stops all endpoints with the application context. They start first and stop
 * last, after web server, message listeners and executors have drained. A pause stops
 * them as a close does, and a restart makes everything native anew, on the same beans.
 * <p>
 * Nothing here is a backstop: closing {@link RdmaEndpoints}, which the context does last,
 * destroys what a stop did not, or waits for a stop that is still running.
 */
public class RdmaLifecycle implements SmartLifecycle, ApplicationListener<ContextRefreshedEvent> {

	/**
	 * Phase in which endpoints start and stop unless configured otherwise. Anything that
	 * uses endpoints belongs in a higher one.
	 */
	public static final int DEFAULT_PHASE = Integer.MIN_VALUE + 1024;

	private static final Logger logger = LoggerFactory.getLogger(RdmaLifecycle.class);

	private final RdmaEndpoints endpoints;

	private final RdmaProperties.Lifecycle properties;

	private final ConfigurableApplicationContext context;

	private final AtomicBoolean refreshed = new AtomicBoolean();

	/**
	 * Create the lifecycle.
	 * @param endpoints the endpoints to start and stop
	 * @param properties the phase, and whether to start with the context
	 * @param context the context whose end tells a shutdown from a restart
	 */
	RdmaLifecycle(RdmaEndpoints endpoints, RdmaProperties.Lifecycle properties,
			ConfigurableApplicationContext context) {
		this.endpoints = endpoints;
		this.properties = properties;
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() == this.context) {
			this.refreshed.set(true);
		}
	}

	/**
	 * Start all endpoints. Without any, nothing native is touched, so that the starter
	 * alone on the class path needs no RDMA device.
	 */
	@Override
	public void start() {
		if (!this.endpoints.endpoints().isEmpty()) {
			this.endpoints.start();
		}
	}

	@Override
	public void stop() {
		this.endpoints.destroyAll(trigger());
	}

	/**
	 * Stop all endpoints on a thread of its own, so that others of the phase stop
	 * meanwhile.
	 * @param callback run once when the destroy ended, whichever way
	 */
	@Override
	public void stop(Runnable callback) {
		Thread thread = new Thread(() -> stopAndRun(callback), "rdma-stop");
		thread.setDaemon(true);
		try {
			thread.start();
		}
		catch (OutOfMemoryError ex) {
			logger.warn("No thread could be started to stop RDMA endpoints, so the calling one does it", ex);
			stopAndRun(callback);
		}
	}

	// An error that escaped would end up nowhere: the context waits for the callback
	// only.
	private void stopAndRun(Runnable callback) {
		try {
			stop();
		}
		catch (Throwable ex) {
			logger.error("Stopping RDMA endpoints failed", ex);
		}
		finally {
			callback.run();
		}
	}

	private DestroyTrigger trigger() {
		if (this.context.isClosed()) {
			return DestroyTrigger.SHUTDOWN;
		}
		return this.refreshed.get() ? DestroyTrigger.RESTART : DestroyTrigger.FAILED_START;
	}

	@Override
	public boolean isRunning() {
		return this.endpoints.isRunning();
	}

	@Override
	public boolean isAutoStartup() {
		return this.properties.autoStartup();
	}

	@Override
	public int getPhase() {
		return this.properties.phase();
	}

}
