package io.github.rdmaboot.provider;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Waiting for events and being woken.
 */
abstract class WakerContract extends RdmaProviderContract {

	private static final int LONG_MILLIS = 60_000;

	WakerContract(ContractTransport transport) {
		super(transport);
	}

	private long waker() {
		long waker = this.provider.createWaker();
		closeLater(() -> this.provider.destroyWaker(waker));
		return waker;
	}

	@Test
	void waitEndsWhenItsTimeIsUp() {
		long begin = System.nanoTime();
		assertThat(this.provider.awaitCmEvent(this.client.channel(), waker(), 20)).isFalse();
		assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(19));
	}

	@Test
	void waitWithoutTimeOnlyLooks() {
		assertThat(this.provider.awaitCmEvent(this.client.channel(), waker(), 0)).isFalse();
	}

	@Test
	void wakingEndsTheWait() throws Exception {
		long waker = waker();
		BlockedCall wait = BlockedCall
			.start(() -> this.provider.awaitCmEvent(this.client.channel(), waker, LONG_MILLIS));
		wait.isBlocked();
		this.provider.wake(waker);
		wait.returns();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3 })
	void wakingBeforeTheWaitEndsItAndCountsOnce(int times) {
		long waker = waker();
		for (int i = 0; i < times; i++) {
			this.provider.wake(waker);
		}
		assertThat(this.provider.awaitCmEvent(this.client.channel(), waker, LONG_MILLIS)).isFalse();
		long begin = System.nanoTime();
		assertThat(this.provider.awaitCmEvent(this.client.channel(), waker, 20)).isFalse();
		assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(19));
	}

	@Test
	void interruptDoesNotEndTheWait() throws Exception {
		long waker = waker();
		BlockedCall wait = BlockedCall
			.start(() -> this.provider.awaitCmEvent(this.client.channel(), waker, LONG_MILLIS));
		wait.interrupt();
		wait.isBlocked();
		this.provider.wake(waker);
		wait.returns();
		assertThat(wait.wasInterrupted()).isTrue();
	}

	@Test
	void eventEndsTheWait() throws Exception {
		long waker = waker();
		long id = this.client.newId(PortSpace.TCP);
		BlockedCall wait = BlockedCall
			.start(() -> this.provider.awaitCmEvent(this.client.channel(), waker, LONG_MILLIS));
		wait.isBlocked();
		this.provider.rdmaResolveAddr(id, null, address(4000), 2000);
		wait.returns();
		this.client.expect(CmEventType.ADDR_RESOLVED);
	}

	@Test
	void fetchingWithoutAnEventReturnsNothing() {
		assertThat(this.provider.rdmaGetCmEvent(this.client.channel())).isNull();
	}

	@Test
	void idMayBeDestroyedWhileAThreadWaitsForEvents() throws Exception {
		long waker = waker();
		long id = this.client.newId(PortSpace.TCP);
		BlockedCall wait = BlockedCall
			.start(() -> this.provider.awaitCmEvent(this.client.channel(), waker, LONG_MILLIS));
		this.client.destroy(id);
		wait.isBlocked();
		this.provider.wake(waker);
		wait.returns();
	}

	@Test
	void oneWakerServesCompletionChannelsToo() throws Exception {
		long waker = waker();
		Endpoint endpoint = endpoint(resolved(address(4000)));
		BlockedCall wait = BlockedCall
			.start(() -> this.provider.awaitCqEvent(endpoint.completionChannel, waker, LONG_MILLIS));
		wait.isBlocked();
		this.provider.wake(waker);
		wait.returns();
	}

}
