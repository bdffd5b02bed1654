package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;

import static org.awaitility.Awaitility.await;

/**
 * A process of its own that {@link JvmExitTests} starts: its main method returns while
 * native calls of many kinds, and a destroy listener, are stuck for good.
 */
public final class StuckAtExit {

	private static final String ADDRESS = "192.0.2.1";

	private static final Duration BRIEF = Duration.ofMillis(300);

	/** Calls that are stuck before there is a connection. */
	private static final List<String> OF_STARTS = List.of("createWaker", "rdmaCreateId", "rdmaResolveAddr",
			"rdmaAccept", "rdmaConnect");

	/** Calls that are stuck when what is connected is destroyed. */
	private static final List<String> OF_DESTROYS = List.of("rdmaGetCmEvent", "ibvGetCqEvent", "ibvPollCq",
			"rdmaDisconnect", "rdmaDestroyQp", "ibvDeallocPd", "rdmaDestroyId", "wake", "rdmaDestroyEventChannel",
			"close");

	private StuckAtExit() {
	}

	/**
	 * Have all of them stuck, print which threads would keep the JVM, and return.
	 * @param arguments none
	 */
	public static void main(String[] arguments) {
		OF_STARTS.forEach(StuckAtExit::holdInStart);
		OF_DESTROYS.forEach(StuckAtExit::holdInDestroy);
		holdListener();
		List<String> threads = Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !thread.isDaemon() && thread.getName().startsWith("rdma-"))
			.map(Thread::getName)
			.toList();
		System.out.println("threads that keep the JVM: " + threads);
		System.out.println("main returns");
	}

	private static void holdInStart(String method) {
		HeldCalls calls = newCalls();
		RdmaEndpoints registry = newRegistry(calls);
		calls.hold(method);
		try {
			registry.start();
		}
		catch (RdmaException | IllegalStateException ex) {
			System.out.println(method + ": " + ex.getMessage());
		}
		awaitStuck(method, calls);
		registry.close();
	}

	private static void holdInDestroy(String method) {
		HeldCalls calls = newCalls();
		RdmaEndpoints registry = newRegistry(calls);
		startConnected(registry);
		calls.hold(method);
		((RdmaClient) registry.find("client")).connection().send(ByteBuffer.allocate(1));
		registry.close();
		awaitStuck(method, calls);
	}

	private static void holdListener() {
		RdmaEndpoints registry = newRegistry(newCalls());
		startConnected(registry);
		CountDownLatch begun = new CountDownLatch(1);
		registry.addDestroyListener((report) -> {
			begun.countDown();
			waitForEver();
		});
		registry.close();
		await("the listener is told").until(() -> begun.getCount() == 0);
	}

	private static void waitForEver() {
		try {
			new CountDownLatch(1).await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static HeldCalls newCalls() {
		LoopbackFabric fabric = LoopbackFabrics.with(ADDRESS);
		return new HeldCalls(new LoopbackRdmaProvider(fabric));
	}

	private static RdmaEndpoints newRegistry(HeldCalls calls) {
		RdmaEndpoints registry = new RdmaEndpoints(calls::provider, BRIEF,
				new ShutdownSettings(BRIEF, BRIEF, BRIEF, BRIEF), MemoryPoolSettings.defaults(), null);
		registry.addServer(TestSettings.server("server", ADDRESS, 4711));
		registry.addClient(
				TestSettings.client("client", ADDRESS, 4711, ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT));
		return registry;
	}

	private static void startConnected(RdmaEndpoints registry) {
		registry.start();
		await("the client is connected").until(() -> registry.find("client").state() == EndpointState.UP);
	}

	private static void awaitStuck(String method, HeldCalls calls) {
		await(method + " is stuck").until(() -> calls.held() > 0);
	}

}
