package io.github.rdmaboot.endpoint;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyLimits;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.OrderedCalls;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What endpoints do while no thread can be started, which Java reports with an
 * {@link OutOfMemoryError}, and that they work again afterwards.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThreadShortageTests {

	private static final String ADDRESS = "192.0.2.1";

	private static final ShutdownSettings LIMITS = new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(2),
			Duration.ofSeconds(2), Duration.ofSeconds(10));

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final RdmaEndpoints registry = TestSettings.registry(() -> new LoopbackRdmaProvider(this.fabric), LIMITS,
			null);

	private final StartedRuntime runtime = StartedRuntime.open(
			OrderedCalls.check(new LoopbackRdmaProvider(this.fabric)), MemoryPoolSettings.defaults(), null,
			LIMITS.destroyTimeout(), new DestroyLimits(LIMITS.timeout(), LIMITS.disconnectGrace(),
					LIMITS.drainTimeout(), LIMITS.destroyTimeout()),
			new EndpointListeners((name, step) -> {
			}));

	private final AtomicInteger failures = new AtomicInteger();

	private volatile String failing = "";

	@BeforeEach
	void addHost() throws UnknownHostException {
		this.fabric.addAddress(InetAddress.getByName(ADDRESS));
	}

	@AfterEach
	void close() {
		this.registry.close();
		this.runtime.close(Deadline.after(Duration.ofSeconds(10)));
	}

	// The runtime, in which the call that is named in "failing" finds no thread.
	private EndpointRuntime starving() {
		return (EndpointRuntime) Proxy.newProxyInstance(EndpointRuntime.class.getClassLoader(),
				new Class<?>[] { EndpointRuntime.class }, (proxy, method, arguments) -> {
					if (method.getReturnType() == Executor.class) {
						Executor executor = (Executor) pass(method, arguments);
						return (Executor) (task) -> {
							failIf(method.getName());
							executor.execute(task);
						};
					}
					failIf(method.getName());
					return pass(method, arguments);
				});
	}

	private Object pass(Method method, Object[] arguments) throws Throwable {
		try {
			return method.invoke(this.runtime, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private void failIf(String call) {
		if (call.equals(this.failing)) {
			this.failures.incrementAndGet();
			throw new OutOfMemoryError("unable to create native thread");
		}
	}

	private void awaitFailures(int count) {
		await().alias(this.failing + " failed").until(() -> this.failures.get() >= count);
	}

	private RdmaServer startedServer() {
		RdmaServer server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 0));
		server.start(starving());
		return server;
	}

	@Test
	void aServerForgetsARequestThatNoThreadCanAccept() {
		RdmaServer server = startedServer();
		RdmaClient client = this.registry.addClient(TestSettings.client("client", ADDRESS, server.port(),
				ClientStartup.BACKGROUND, TestSettings.RECONNECT));
		this.failing = "acceptExecutor";
		client.start(this.runtime);
		awaitFailures(2);
		this.failing = "";
		await().until(() -> client.state() == EndpointState.UP && server.allConnections().size() == 1);
		client.destroy();
		assertThat(server.destroy().result()).isEqualTo(DestroyResult.SUCCESS);
	}

	@Test
	void aServerThatCannotBeStartedForAnErrorIsDownAndCanBeDestroyed() {
		RdmaServer server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 0));
		this.failing = "channel";
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> server.start(starving()));
		assertThat(server.state()).isEqualTo(EndpointState.DOWN);
		assertThat(server.lastError()).hasMessageContaining("'echo'").hasMessageContaining("native thread");
		server.destroy();
		this.failing = "";
		server.start(starving());
		assertThat(server.state()).isEqualTo(EndpointState.UP);
		server.destroy();
	}

	@Test
	void aServerListensAgainWhenThereAreThreadsAgain() {
		comesBackAfterFailuresOf("connectExecutor");
	}

	@Test
	void aServerListensAgainAfterAttemptsThatEndedWithAnError() {
		comesBackAfterFailuresOf("channel");
	}

	private void comesBackAfterFailuresOf(String call) {
		RdmaServer server = startedServer();
		this.registry.destroy(server, DestroyTrigger.DEVICE_REMOVAL);
		this.failing = call;
		server.deviceRemoved(starving());
		awaitFailures(2);
		this.failing = "";
		await().until(() -> server.state() == EndpointState.UP);
		assertThat(server.lastError()).isNull();
		server.destroy();
	}

	@Test
	void aQuestionThatNoThreadCanAnswerIsNotWaitedFor() {
		RdmaDatagramEndpoint asked = this.registry.addDatagrams(TestSettings.datagrams("asked", ADDRESS, 4711));
		RdmaDatagramEndpoint asker = this.registry.addDatagrams(TestSettings.datagrams("asker", ADDRESS, null));
		asked.start(starving());
		asker.start(this.runtime);
		this.failing = "acceptExecutor";
		asker.resolve(ADDRESS, 4711);
		awaitFailures(1);
		assertThat(asked.destroy().result()).isEqualTo(DestroyResult.SUCCESS);
		asker.destroy();
	}

}
