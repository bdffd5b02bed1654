package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.RdmaProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where completions are taken and handlers run, on any provider.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class CompletionModeContract {

	private static final int PATIENCE_SECONDS = 30;

	/**
	 * Return a provider; each start of a registry asks for one.
	 * @return the provider
	 */
	abstract RdmaProvider openProvider();

	/**
	 * Return an address of this host that endpoints can listen on.
	 * @return the address
	 */
	abstract String localAddress();

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
	}

	private RdmaEndpoints registry() {
		return new RdmaEndpoints(this::openProvider, ShutdownSettings.defaults(), null);
	}

	@Test
	void handlersAndCallbacksRunOnTheCompletionThreadWhereConfigured() throws Exception {
		assertThat(threadsOf(HandlerThread.COMPLETION_THREAD)).allMatch((name) -> name.contains("-cq-"));
	}

	@Test
	void handlersAndCallbacksRunOnTheExecutorByDefault() throws Exception {
		assertThat(threadsOf(CompletionSettings.defaults().handlers())).allMatch((name) -> name.contains("-handler-"));
	}

	// Return the names of the threads that ran a message handler and a callback.
	private String[] threadsOf(HandlerThread handlers) throws Exception {
		try (RdmaEndpoints registry = registry()) {
			CompletionSettings completion = new CompletionSettings(handlers);
			RdmaServer server = registry.addServer(TestSettings.server("server", localAddress(), 0, completion));
			CompletableFuture<String> handled = new CompletableFuture<>();
			server.onMessage((connection, message) -> handled.complete(Thread.currentThread().getName()));
			registry.start();
			RdmaClient client = registry
				.addClient(TestSettings.client("client", localAddress(), server.port(), completion));
			client.start();
			CompletableFuture<String> sent = new CompletableFuture<>();
			get(client.connect()).send(ByteBuffer.wrap(new byte[] { 1 }),
					(error) -> sent.complete((error != null) ? error.toString() : Thread.currentThread().getName()));
			return new String[] { get(handled), get(sent) };
		}
	}

	@Test
	void futuresOnTheCompletionThreadEndInTheOrderOfTheMessages() throws Exception {
		try (RdmaEndpoints registry = registry()) {
			CompletionSettings completion = new CompletionSettings(HandlerThread.COMPLETION_THREAD);
			RdmaServer server = registry.addServer(TestSettings.server("server", localAddress(), 0, completion));
			server.onMessage((connection, message) -> connection.send(message, (error) -> {
			}));
			registry.start();
			RdmaClient client = registry
				.addClient(TestSettings.client("client", localAddress(), server.port(), completion));
			client.start();
			RdmaConnection connection = get(client.connect());
			CompletableFuture<?>[] futures = new CompletableFuture<?>[100];
			StringBuffer order = new StringBuffer();
			StringBuilder expected = new StringBuilder();
			for (int i = 0; i < futures.length; i++) {
				futures[i] = connection.receive().thenAccept((message) -> order.append(message[0]).append(' '));
				expected.append(i).append(' ');
			}
			for (int i = 0; i < futures.length; i++) {
				connection.send(ByteBuffer.wrap(new byte[] { (byte) i }));
			}
			get(CompletableFuture.allOf(futures));
			assertThat(order).asString().isEqualTo(expected.toString());
		}
	}

}
