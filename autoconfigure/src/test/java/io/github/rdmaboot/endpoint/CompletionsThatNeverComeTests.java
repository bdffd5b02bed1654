package io.github.rdmaboot.endpoint;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.endpoint.destroy.StepOutcome;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Operations whose completions a device never delivers, not even when their queue pair is
 * flushed.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CompletionsThatNeverComeTests {

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	private volatile boolean silent;

	@Test
	void theEndOfTheConnectionTellsEachWaiterOnce() throws Exception {
		List<RuntimeException> told = new CopyOnWriteArrayList<>();
		try (ConnectedPair pair = ConnectedPair.connect(this::provider, "192.0.2.1")) {
			RdmaConnection client = pair.client();
			RegisteredMemory local = client.memory().allocate(64, RemoteAccess.READ);
			RemoteMemory remote = pair.server().memory().allocate(64, RemoteAccess.WRITE).remote();
			this.silent = true;
			client.send(ByteBuffer.allocate(1), told::add);
			client.operations().write(local, 0, remote, 0, 8, (result, error) -> told.add(error));
			client.operations()
				.batch(2)
				.write(local, 0, remote, 0, 8)
				.signal((result, error) -> told.add(error))
				.write(local, 0, remote, 8, 8)
				.post((result, error) -> told.add(error));
			CompletableFuture<byte[]> message = client.receive();

			DestroyReport report = client.close().get(20, TimeUnit.SECONDS);

			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
			assertThat(report.steps()).as("waits in vain: %s", report.toLine())
				.anyMatch((step) -> step.step() == DestroyStepName.DRAIN && step.outcome() == StepOutcome.EXPIRED);
			await().until(() -> told.size() >= 4);
			assertThat(message).failsWithin(Duration.ofSeconds(10));
		}
		assertThat(told).hasSize(4)
			.allSatisfy((error) -> assertThat(error).isInstanceOf(ConnectionClosedException.class));
	}

	private RdmaProvider provider() {
		LoopbackRdmaProvider target = new LoopbackRdmaProvider(this.fabric);
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, (proxy, method, arguments) -> {
					if (this.silent && method.getName().equals("ibvPollCq")) {
						return 0;
					}
					if (this.silent && method.getName().equals("awaitCqEvent")) {
						LockSupport.parkNanos(1_000_000);
						return false;
					}
					try {
						return method.invoke(target, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

}
