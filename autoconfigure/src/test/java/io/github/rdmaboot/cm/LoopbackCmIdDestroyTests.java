package io.github.rdmaboot.cm;

import java.net.InetAddress;
import java.net.UnknownHostException;

import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of destroying CM ids on the loopback provider, with the order of calls
 * checked.
 */
class LoopbackCmIdDestroyTests extends CmIdDestroyContract {

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final CallOrder order = CallOrder.ofIds(false);

	@BeforeEach
	void addHost() throws UnknownHostException {
		this.fabric.addAddress(InetAddress.getByName(localAddress()));
	}

	@Override
	void checkOrder() {
		assertThat(this.order.violations()).isEmpty();
		assertThat(this.order.left()).isEmpty();
	}

	@Override
	RdmaProvider openProvider() {
		return FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), this.order).provider();
	}

	@Override
	String localAddress() {
		return "192.0.2.1";
	}

	@Override
	String nativeObjects() {
		return this.fabric.resources().toString().replaceFirst("timers=\\d+", "timers");
	}

}
