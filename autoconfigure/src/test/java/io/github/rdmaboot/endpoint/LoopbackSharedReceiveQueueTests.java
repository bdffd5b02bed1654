package io.github.rdmaboot.endpoint;

import java.util.ArrayList;
import java.util.List;

import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The shared receive queue on the loopback provider.
 */
class LoopbackSharedReceiveQueueTests extends SharedReceiveQueueContract {

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	private final List<CallOrder> orders = new ArrayList<>();

	@Override
	RdmaProvider openProvider() {
		CallOrder order = new CallOrder(false);
		this.orders.add(order);
		return FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), order).provider();
	}

	@Override
	String nativeObjects() {
		return this.fabric.resources().toString();
	}

	@Override
	int many() {
		return 1000;
	}

	@Override
	void checkClosed() {
		assertThat(this.orders).flatExtracting(CallOrder::violations).isEmpty();
	}

}
