package io.github.rdmaboot.test;

import java.net.InetAddress;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.autoconfigure.CheckedContexts;
import io.github.rdmaboot.autoconfigure.RdmaAutoConfiguration;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFaults;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.BDDMockito;
import org.mockito.Mockito;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the end of faults after a test method.
 */
@Timeout(60)
class LoopbackFaultsTestExecutionListenerTests {

	private final ApplicationContextRunner contextRunner = CheckedContexts.runner()
		.withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class));

	private final TestExecutionListener listener = new LoopbackFaultsTestExecutionListener();

	@Test
	void isRegistered() {
		// Some of Spring's own need a servlet container, which Spring passes over as
		// well.
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation()
			.load(TestExecutionListener.class, FailureHandler.handleMessage((message, failure) -> {
			}))).hasAtLeastOneElementOfType(LoopbackFaultsTestExecutionListener.class);
	}

	@Test
	void healsTheNetworkAndPutsTheDeviceBack() {
		this.contextRunner.withUserConfiguration(RdmaLoopbackTestAutoConfiguration.class)
			.withPropertyValues("rdma.servers.stock-peer.port=7471", "rdma.clients.stock.address=127.0.0.1",
					"rdma.clients.stock.port=7471", "rdma.clients.stock.startup=lazy")
			.run((context) -> {
				RdmaProvider provider = context.getBean(RdmaProvider.class);
				LoopbackFaults faults = context.getBean(LoopbackFaults.class);
				faults.hideNeighbour(InetAddress.getLoopbackAddress());
				this.listener.afterTestMethod(testContext(context));
				assertThat(context.getBean(RdmaClient.class).connect()).succeedsWithin(10, TimeUnit.SECONDS);
				faults.removeDevice();
				assertThat(provider.describeDevices()).isEmpty();
				this.listener.afterTestMethod(testContext(context));
				assertThat(provider.describeDevices()).hasSize(1);
				provider.close();
			});
	}

	@Test
	void leavesOtherContextsAlone() {
		this.contextRunner.run((context) -> {
			this.listener.afterTestMethod(testContext(context));
			assertThat(context).doesNotHaveBean(LoopbackFaults.class);
		});
	}

	@Test
	void loadsNoContextOfItsOwnAccord() throws Exception {
		TestContext testContext = Mockito.mock();
		this.listener.afterTestMethod(testContext);
		Mockito.verify(testContext, Mockito.never()).getApplicationContext();
	}

	private static TestContext testContext(ApplicationContext context) {
		TestContext testContext = Mockito.mock();
		BDDMockito.given(testContext.hasApplicationContext()).willReturn(true);
		BDDMockito.given(testContext.getApplicationContext()).willReturn(context);
		return testContext;
	}

}
