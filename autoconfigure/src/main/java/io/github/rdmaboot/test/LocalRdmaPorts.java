package io.github.rdmaboot.test;

import io.github.rdmaboot.endpoint.RdmaDatagramEndpoint;
import io.github.rdmaboot.endpoint.RdmaServer;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.PropertySource;

/**
 * Properties {@code local.rdma.<name>.port} of the endpoints that listen. Each is asked
 * for anew, because a server that starts again may get another ephemeral port.
 */
final class LocalRdmaPorts extends PropertySource<ConfigurableListableBeanFactory> {

	private static final String PREFIX = "local.rdma.";

	private static final String SUFFIX = ".port";

	LocalRdmaPorts(ConfigurableListableBeanFactory beanFactory) {
		super("localRdmaPorts", beanFactory);
	}

	@Override
	public @Nullable Object getProperty(String name) {
		if (!name.startsWith(PREFIX) || !name.endsWith(SUFFIX) || name.length() <= PREFIX.length() + SUFFIX.length()) {
			return null;
		}
		String endpoint = name.substring(PREFIX.length(), name.length() - SUFFIX.length());
		int port = portOf(getSource().getSingleton(endpoint));
		return (port != 0) ? port : null;
	}

	private static int portOf(@Nullable Object bean) {
		if (bean instanceof RdmaDatagramEndpoint datagrams) {
			return datagrams.port();
		}
		return (bean instanceof RdmaServer server) ? server.port() : 0;
	}

}
