package io.github.rdmaboot.autoconfigure;

import io.github.rdmaboot.endpoint.ConnectListener;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Adds the listeners among the beans to the endpoints, once all singletons exist: a
 * listener may itself use an endpoint.
 */
class ListenerBinding implements SmartInitializingSingleton {

	private final RdmaEndpoints endpoints;

	private final ObjectProvider<DestroyListener> destroyListeners;

	private final ObjectProvider<ConnectListener> connectListeners;

	ListenerBinding(RdmaEndpoints endpoints, ObjectProvider<DestroyListener> destroyListeners,
			ObjectProvider<ConnectListener> connectListeners) {
		this.endpoints = endpoints;
		this.destroyListeners = destroyListeners;
		this.connectListeners = connectListeners;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.destroyListeners.orderedStream().forEach(this.endpoints::addDestroyListener);
		this.connectListeners.orderedStream().forEach(this.endpoints::addConnectListener);
	}

}
