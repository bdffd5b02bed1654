package io.github.rdmaboot.autoconfigure;

import java.util.function.Supplier;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.RdmaUnavailableException;
import io.github.rdmaboot.provider.RdmaUnavailableException.Cause;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.ClassUtils;

/**
 * Opens the provider that is configured, each time that endpoints start.
 */
class RdmaProviderFactory implements Supplier<RdmaProvider> {

	private static final Logger logger = LoggerFactory.getLogger(RdmaProviderFactory.class);

	private static final String JNA = "com.sun.jna.Native";

	private final RdmaProviderType type;

	private final @Nullable ClassLoader classLoader;

	RdmaProviderFactory(RdmaProviderType type, @Nullable ClassLoader classLoader) {
		this.type = type;
		this.classLoader = classLoader;
	}

	/**
	 * Open the provider.
	 * @return the provider, for the caller to close
	 * @throws RdmaUnavailableException if it cannot be used
	 */
	@Override
	public RdmaProvider get() {
		return switch (this.type) {
			case NATIVE -> openNative();
			case LOOPBACK -> openLoopback();
			case AUTO -> openAny();
		};
	}

	private RdmaProvider openAny() {
		try {
			return openNative();
		}
		catch (RdmaUnavailableException ex) {
			logger.warn("RDMA runs inside this process only (loopback), no other process can connect, "
					+ "because the native provider cannot be used: {} {}", ex.getMessage(), ex.action());
			return openLoopback();
		}
	}

	private RdmaProvider openNative() {
		if (!ClassUtils.isPresent(JNA, this.classLoader)) {
			throw new RdmaUnavailableException(Cause.NATIVE_ACCESS_MISSING, "dlopen", Errno.ENOENT.value(),
					"JNA is not on the class path, so librdmacm cannot be loaded.",
					"Add the dependency net.java.dev.jna:jna, which rdma-spring-boot-starter brings.");
		}
		return JnaRdmaProvider.open();
	}

	private RdmaProvider openLoopback() {
		return new LoopbackRdmaProvider(LoopbackFabric.shared());
	}

}
