package io.github.rdmaboot.verbs;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;

import io.github.rdmaboot.provider.OrderedCalls;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whether a {@link Device} has immediate data, where the operating system does not
 * describe the device, as in a container without {@code /sys}.
 */
class DeviceImmediateDataTests {

	@Test
	void aDeviceOfIwarpThatIsNotDescribedHasNone() {
		assertThat(hasImmediateData(LoopbackFabric.withoutImmediateData())).isFalse();
	}

	@Test
	void anyOtherDeviceThatIsNotDescribedHasSome() {
		assertThat(hasImmediateData(new LoopbackFabric())).isTrue();
	}

	private static boolean hasImmediateData(LoopbackFabric fabric) {
		RdmaProvider provider = OrderedCalls.check(withoutDescriptions(new LoopbackRdmaProvider(fabric)));
		DeviceLease lease = new Devices(provider, "immediate-test", new MemoryPoolLimits(4096, 4096, 64))
			.acquire(provider.rdmaGetDevices().handles()[0]);
		try {
			return lease.device().hasImmediateData();
		}
		finally {
			lease.release();
		}
	}

	private static RdmaProvider withoutDescriptions(RdmaProvider target) {
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("describeDevices")) {
						return List.of();
					}
					try {
						return method.invoke(target, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

}
