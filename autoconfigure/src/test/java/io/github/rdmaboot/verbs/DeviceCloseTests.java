package io.github.rdmaboot.verbs;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.OrderedCalls;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * The close of a {@link Device} whose threads do not end.
 */
@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceCloseTests {

	private static final List<CompletionPolicy> POLICIES = List.of(
			new CompletionPolicy(CompletionMode.EVENT, Duration.ZERO, null),
			new CompletionPolicy(CompletionMode.ADAPTIVE, Duration.ofMillis(1), null));

	private final CountDownLatch stuck = new CountDownLatch(POLICIES.size());

	private final CountDownLatch mayReturn = new CountDownLatch(1);

	private final List<String> closes = new CopyOnWriteArrayList<>();

	private RdmaProvider provider() throws Exception {
		LoopbackFabric fabric = new LoopbackFabric();
		fabric.addAddress(InetAddress.getByName("192.0.2.1"));
		RdmaProvider provider = new LoopbackRdmaProvider(fabric);
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("awaitCqEvent")) {
						this.stuck.countDown();
						this.mayReturn.await();
					}
					if (List.of("ibvDestroyCompChannel", "closeCompletionChannel").contains(method.getName())) {
						this.closes.add(method.getName());
					}
					try {
						return method.invoke(provider, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@AfterEach
	void release() {
		this.mayReturn.countDown();
	}

	@Test
	void threadsThatAreStuckAreWaitedForTogether() throws Exception {
		RdmaProvider provider = provider();
		DeviceLease lease = new Devices(OrderedCalls.check(provider), "close-test",
				new MemoryPoolLimits(4096, 4096, 64))
			.acquire(provider.rdmaGetDevices().handles()[0]);
		List<CompletionQueue> queues = POLICIES.stream()
			.map((policy) -> CompletionQueue.create(lease.device(), policy, 1, (completion) -> {
			}, (failure) -> {
			}))
			.toList();
		assertThat(this.stuck.await(10, TimeUnit.SECONDS)).as("both threads are stuck").isTrue();
		queues.forEach(CompletionQueue::close);
		long begin = System.nanoTime();
		assertThatIllegalStateException().isThrownBy(lease::release)
			.withMessageContaining("did not end in time")
			.satisfies((ex) -> assertThat(ex.getSuppressed()).as("those of the other threads").hasSize(1));
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("wait for both threads")
			.isLessThan(Duration.ofSeconds(3));
		this.mayReturn.countDown();
		await("end of the threads").until(() -> Thread.getAllStackTraces()
			.keySet()
			.stream()
			.noneMatch((thread) -> thread.getName().startsWith("close-test")));
		// Once the last id of a removed device has gone, its context may have as well.
		assertThat(this.closes).as("how the channels of the threads that ended late were freed")
			.containsExactly("closeCompletionChannel", "closeCompletionChannel");
	}

}
