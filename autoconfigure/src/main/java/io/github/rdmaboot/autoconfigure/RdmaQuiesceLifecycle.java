package io.github.rdmaboot.autoconfigure;

import io.github.rdmaboot.endpoint.RdmaEndpoints;

import org.springframework.context.SmartLifecycle;

/**
 * Has RDMA servers reject connection requests as soon as the context begins to stop, for
 * a close as for a pause: before the web server and message listeners drain, whose work
 * goes on over the connections that are there. {@link RdmaLifecycle}, which stops last,
 * destroys those.
 */
class RdmaQuiesceLifecycle implements SmartLifecycle {

	private final RdmaEndpoints endpoints;

	private volatile boolean running;

	RdmaQuiesceLifecycle(RdmaEndpoints endpoints) {
		this.endpoints = endpoints;
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		this.endpoints.quiesce();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	// The phase that stops first. The web server's graceful shutdown comes 1,024 later.
	@Override
	public int getPhase() {
		return Integer.MAX_VALUE;
	}

}
