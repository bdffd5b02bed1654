package io.github.rdmaboot.autoconfigure;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.CheckedEndpoints;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.endpoint.ShutdownSettings;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.system.JavaVersion;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the threads on which handlers of endpoints run.
 */
@Timeout(60)
class HandlerExecutorTests {

	private final ApplicationContextRunner contextRunner = CheckedContexts.runner()
		.withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
		.withBean(RdmaProvider.class, () -> new LoopbackRdmaProvider(new LoopbackFabric()))
		.withPropertyValues("rdma.servers.echo.port=7471", "rdma.clients.echo-client.address=127.0.0.1",
				"rdma.clients.echo-client.port=7471", "rdma.clients.echo-client.startup=required");

	@Test
	void theyAreDaemonsOfTheEndpointsOwnByDefault() {
		this.contextRunner.run((context) -> {
			Thread thread = handlerThread(context);
			assertThat(thread.getName()).matches("rdma-\\d+-handler-\\d+");
			assertThat(thread.isDaemon()).isTrue();
		});
	}

	@Test
	void theyAreThoseOfTheExecutorWithTheName() {
		this.contextRunner.withBean("other", Executor.class, () -> new SimpleAsyncTaskExecutor("other-"))
			.withBean("rdmaHandlerExecutor", Executor.class, () -> new SimpleAsyncTaskExecutor("mine-"))
			.withPropertyValues("spring.threads.virtual.enabled=true")
			.run((context) -> assertThat(handlerThread(context).getName()).startsWith("mine-"));
	}

	@Test
	void anExecutorOfAnotherNameIsLeftAlone() {
		this.contextRunner.withBean("other", Executor.class, () -> new SimpleAsyncTaskExecutor("other-"))
			.run((context) -> assertThat(handlerThread(context).getName()).matches("rdma-\\d+-handler-\\d+"));
	}

	@Test
	void theyAreVirtualIfEnabledAndJavaHasThem() {
		boolean virtual = JavaVersion.getJavaVersion().isEqualOrNewerThan(JavaVersion.TWENTY_ONE);
		this.contextRunner.withPropertyValues("spring.threads.virtual.enabled=true")
			.run((context) -> assertThat(handlerThread(context).toString())
				.startsWith(virtual ? "VirtualThread[" : "Thread["));
	}

	@Test
	void endpointsOfTheApplicationTakeThePlaceOfThoseOfTheProperties() {
		RdmaEndpoints own = CheckedEndpoints.create(() -> new LoopbackRdmaProvider(new LoopbackFabric()),
				ShutdownSettings.defaults(), null);
		CheckedContexts.runner()
			.withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
			.withBean("own", RdmaEndpoints.class, () -> own)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(RdmaEndpoints.class)).isSameAs(own);
			});
	}

	@Test
	void anExecutorThatLosesWhatComesAfterItsShutdownLosesNoFuture() {
		this.contextRunner.withBean("rdmaHandlerExecutor", Executor.class, () -> {
			ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();
			pool.setRejectedExecutionHandler(new ThreadPoolExecutor.CallerRunsPolicy());
			return pool;
		}).withBean(SendsWhenStopped.class).run((context) -> {
			SendsWhenStopped bean = context.getBean(SendsWhenStopped.class);
			// The context shuts the pool down before anything stops.
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).close();
			assertThat(bean.sent).isCompleted();
		});
	}

	private static Thread handlerThread(ApplicationContext context) throws Exception {
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		context.getBean(RdmaServer.class).onMessage((connection, message) -> thread.complete(Thread.currentThread()));
		context.getBean(RdmaClient.class)
			.connection()
			.send(ByteBuffer.wrap(new byte[] { 1 }))
			.get(10, TimeUnit.SECONDS);
		return thread.get(10, TimeUnit.SECONDS);
	}

	static class SendsWhenStopped implements SmartLifecycle {

		private final RdmaClient client;

		private CompletableFuture<Void> sent = new CompletableFuture<>();

		private volatile boolean running;

		SendsWhenStopped(RdmaClient client) {
			this.client = client;
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			this.sent = this.client.connection().send(ByteBuffer.wrap(new byte[] { 1 })).orTimeout(5, TimeUnit.SECONDS);
			this.sent.exceptionally((error) -> null).join();
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

	}

}
