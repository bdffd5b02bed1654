package io.github.rdmaboot.autoconfigure;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

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
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the threads on which handlers of endpoints run.
 */
@Timeout(60)
class HandlerExecutorTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
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
		RdmaEndpoints own = new RdmaEndpoints(() -> new LoopbackRdmaProvider(new LoopbackFabric()),
				ShutdownSettings.defaults(), null);
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
			.withBean("own", RdmaEndpoints.class, () -> own)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(RdmaEndpoints.class)).isSameAs(own);
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

}
