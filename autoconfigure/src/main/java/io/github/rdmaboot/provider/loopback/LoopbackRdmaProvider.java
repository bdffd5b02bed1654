package io.github.rdmaboot.provider.loopback;

import java.util.List;

import io.github.rdmaboot.provider.DeviceDescription;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.ProcessorList;
import io.github.rdmaboot.provider.RdmaException;

/**
 * Provider on an in-process fabric, without native code: for development and tests on any
 * machine. It keeps the rules of the native one, those that hurt included: a destroy
 * blocks until fetched events are acknowledged. A handle that is stale, and a call that
 * would dereference a null pointer in C, throws an {@link IllegalStateException}. May be
 * used by any thread.
 */
public final class LoopbackRdmaProvider extends LoopbackCmProvider {

	/**
	 * Create a provider on the fabric of this JVM.
	 */
	public LoopbackRdmaProvider() {
		this(LoopbackFabric.shared());
	}

	/**
	 * Create a provider on a fabric.
	 * @param fabric the fabric
	 */
	public LoopbackRdmaProvider(LoopbackFabric fabric) {
		super(fabric);
	}

	@Override
	public String name() {
		return "loopback";
	}

	@Override
	public List<DeviceDescription> describeDevices() {
		try (FabricLock ignored = hold()) {
			if (!fabric().isDevicePresent()) {
				return List.of();
			}
			return List.of(new DeviceDescription(DeviceLimits.NAME, fabric().hasImmediateData() ? "CA" : "RNIC",
					List.of(new DeviceDescription.Port(1, "ACTIVE", "Ethernet", List.of()))));
		}
	}

	@Override
	public void pinThread(int cpu) {
		// Threads are the operating system's, whichever it is, and not the fabric's. But
		// what is configured has to be right when the provider is a native one.
		if (!ProcessorList.ofThisProcess().contains(cpu)) {
			throw new RdmaException("sched_setaffinity", Errno.EINVAL.value());
		}
	}

}
