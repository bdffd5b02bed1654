package io.github.rdmaboot.autoconfigure;

import java.util.function.Supplier;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.RdmaUnavailableException;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the provider that is configured, each time that endpoints start.
 */
class RdmaProviderFactory implements Supplier<RdmaProvider> {

	private static final Logger logger = LoggerFactory.getLogger(RdmaProviderFactory.class);

	private final RdmaProviderType type;

	RdmaProviderFactory(RdmaProviderType type) {
		this.type = type;
	}

	/**
	 * Open the provider.
	 * @return the provider, for the caller to close
	 * @throws RdmaUnavailableException if it cannot be used
	 */
	@Override
	public RdmaProvider get() {
		return switch (this.type) {
			case NATIVE -> JnaRdmaProvider.open();
			case LOOPBACK -> openLoopback();
			case AUTO -> openAny();
		};
	}

	private static RdmaProvider openAny() {
		try {
			return JnaRdmaProvider.open();
		}
		catch (RdmaUnavailableException ex) {
			logger.warn("RDMA runs inside this process only (loopback), no other process can connect, "
					+ "because the native provider cannot be used: {}. {}", ex.getMessage(), ex.action());
			return openLoopback();
		}
	}

	private static RdmaProvider openLoopback() {
		return new LoopbackRdmaProvider(LoopbackFabric.shared());
	}

}
