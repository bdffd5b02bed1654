package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.rdmaboot.provider.DeviceDescription;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;

/**
 * Starts of a registry: the provider, the devices that are present, and the runtime that
 * is opened with them. May be used from any thread.
 */
final class RegistryStarts {

	private final RuntimeSlot slot;

	private final Supplier<? extends RdmaProvider> providers;

	private final Function<RdmaProvider, StartedRuntime> opening;

	private final Consumer<StartedRuntime> discarding;

	private final Duration callTimeout;

	private volatile List<DeviceDescription> devices = List.of();

	private volatile @Nullable String providerName;

	private volatile @Nullable RuntimeOpening last;

	// What was opened and is wanted by nobody is discarded.
	RegistryStarts(RuntimeSlot slot, Supplier<? extends RdmaProvider> providers,
			Function<RdmaProvider, StartedRuntime> opening, Consumer<StartedRuntime> discarding, Duration callTimeout) {
		this.slot = slot;
		this.providers = providers;
		this.opening = opening;
		this.discarding = discarding;
		this.callTimeout = callTimeout;
	}

	// Open the runtime of the start that was begun, without a lock, so that a stop need
	// not wait for a call that does not return.
	StartedRuntime open() {
		StartedRuntime runtime = null;
		boolean started = false;
		try {
			requireLastEnded();
			RuntimeOpening opening = new RuntimeOpening(this.providers, this::lookAt, this.opening, this.discarding,
					this.callTimeout);
			this.last = opening;
			runtime = opening.open();
			started = this.slot.take(runtime);
			if (!started) {
				throw new IllegalStateException("The registry of RDMA endpoints was stopped while it started");
			}
			return runtime;
		}
		finally {
			try {
				// Before the next start, which may get the provider that this closes.
				if (!started && runtime != null) {
					this.discarding.accept(runtime);
				}
			}
			finally {
				this.slot.endStart();
			}
		}
	}

	private void lookAt(RdmaProvider provider) {
		this.devices = provider.describeDevices();
		this.providerName = provider.name();
	}

	// A call that was left behind is not ours to wait for, and its thread may close the
	// provider that this start would get.
	private void requireLastEnded() {
		RuntimeOpening last = this.last;
		if (last != null) {
			last.requireEnded();
		}
	}

	List<DeviceDescription> devices() {
		return this.devices;
	}

	@Nullable String providerName() {
		return this.providerName;
	}

}
