package io.github.rdmaboot.endpoint;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.StepOutcome;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of operations that the device does not take, all or some of a batch.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedPostTests {

	private static final int ALL = Integer.MAX_VALUE;

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	private final List<Object> outcomes = Collections.synchronizedList(new ArrayList<>());

	private volatile int taken = ALL;

	private ConnectedPair pair;

	private RdmaConnection client;

	private RegisteredMemory local;

	private RemoteMemory remote;

	@BeforeEach
	void connect() throws Exception {
		this.pair = ConnectedPair.connect(this::provider, "192.0.2.1");
		this.client = this.pair.client();
		this.local = this.client.memory().allocate(4096, RemoteAccess.READ);
		this.remote = this.pair.server().memory().allocate(4096, RemoteAccess.WRITE).remote();
	}

	@AfterEach
	void close() {
		this.pair.close();
	}

	private RdmaProvider provider() {
		LoopbackRdmaProvider target = new LoopbackRdmaProvider(this.fabric);
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("ibvPostSend") && this.taken != ALL) {
						return post(target, (long) arguments[0], (SendWorkRequest) arguments[1], this.taken);
					}
					return call(target, method, arguments);
				});
	}

	private static Object call(RdmaProvider target, Method method, Object[] arguments) throws Throwable {
		try {
			return method.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	// Take the first ones of a list and refuse the rest.
	private static int post(RdmaProvider target, long qp, SendWorkRequest first, int taken) {
		if (taken > 0) {
			SendWorkRequest last = first;
			for (int i = 1; i < taken; i++) {
				last = last.next;
			}
			SendWorkRequest rest = last.next;
			last.next = null;
			target.ibvPostSend(qp, first);
			last.next = rest;
		}
		return Errno.EINVAL.value();
	}

	private void remember(long result, RuntimeException error) {
		this.outcomes.add((error != null) ? error : (Object) result);
	}

	@Test
	void operationThatIsRefusedThrowsAndLeavesAllAsItWas() throws Exception {
		this.taken = 0;
		for (int i = 0; i < 40; i++) {
			assertThatExceptionOfType(RdmaException.class)
				.isThrownBy(() -> this.client.operations().write(this.local, 0, this.remote, 0, 8, this::remember))
				.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EINVAL.value()));
			assertThatExceptionOfType(RdmaException.class)
				.isThrownBy(() -> this.client.send(ByteBuffer.allocate(1), (error) -> remember(0, error)));
		}
		this.taken = ALL;
		this.client.blocking().write(this.local, 0, this.remote, 0, 8);
		this.client.send(ByteBuffer.allocate(1)).get(10, TimeUnit.SECONDS);
		assertThat(this.outcomes).as("outcomes of what was refused").isEmpty();
		this.local.close();
		assertThatIllegalStateException().isThrownBy(() -> this.local.data());
		assertThat(this.client.isOpen()).isTrue();
	}

	@Test
	void messageThatIsRefusedCanBeSentAgainFromTheSameBuffer() throws Exception {
		ByteBuffer message = ByteBuffer.allocate(10).position(3);
		this.taken = 0;
		assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> this.client.send(message));
		assertThatExceptionOfType(RdmaException.class)
			.isThrownBy(() -> this.client.operations().sendInline(message, new OperationFuture()));
		assertThat(message.position()).as("position of what was not sent").isEqualTo(3);
		this.taken = ALL;
		this.client.send(message).get(10, TimeUnit.SECONDS);
		assertThat(message.position()).as("position of what was sent").isEqualTo(10);
		assertThat(this.pair.server().receive().get(10, TimeUnit.SECONDS)).hasSize(7);
	}

	@Test
	void whatWasRefusedIsNotWaitedForWhenTheConnectionEnds() throws Exception {
		this.taken = 0;
		assertThatExceptionOfType(RdmaException.class)
			.isThrownBy(() -> this.client.operations().write(this.local, 0, this.remote, 0, 8, this::remember));
		this.taken = ALL;
		DestroyReport report = this.client.close().get(20, TimeUnit.SECONDS);
		assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		assertThat(report.steps()).as(report.toLine()).noneMatch((step) -> step.outcome() == StepOutcome.EXPIRED);
	}

	@Test
	void batchThatIsRefusedAsAWholeThrowsAndCanBePostedAgain() {
		WorkBatch batch = this.client.operations()
			.batch(2)
			.write(this.local, 0, this.remote, 0, 8)
			.signal(this::remember)
			.write(this.local, 0, this.remote, 8, 8);
		this.taken = 0;
		for (int i = 0; i < 20; i++) {
			assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> batch.post(this::remember));
		}
		assertThat(this.outcomes).as("outcomes of what was refused").isEmpty();
		this.taken = ALL;
		batch.post(this::remember);
		await().untilAsserted(() -> assertThat(this.outcomes).containsExactlyInAnyOrder(8L, 16L));
	}

	@Test
	void batchOfWhichAPartIsRefusedThrowsAndEndsTheConnection() throws Exception {
		WorkBatch batch = this.client.operations()
			.batch(3)
			.write(this.local, 0, this.remote, 0, 8)
			.write(this.local, 0, this.remote, 8, 8)
			.write(this.local, 0, this.remote, 16, 8);
		this.taken = 2;
		assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> batch.post(this::remember))
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EINVAL.value()));
		await().until(() -> !this.client.isOpen());
		assertThat(this.client.close().get(20, TimeUnit.SECONDS).toLine()).contains("result=success");
		assertThat(this.outcomes).as("outcomes of a batch that threw").isEmpty();
		assertThatExceptionOfType(ConnectionClosedException.class).isThrownBy(() -> batch.post(this::remember));
	}

}
