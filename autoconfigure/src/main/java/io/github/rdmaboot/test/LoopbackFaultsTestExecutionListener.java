package io.github.rdmaboot.test;

import io.github.rdmaboot.provider.loopback.LoopbackFaults;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Ends the faults of a test method, so that the next one finds the fabric whole.
 */
final class LoopbackFaultsTestExecutionListener implements TestExecutionListener {

	@Override
	public void afterTestMethod(TestContext testContext) {
		if (testContext.hasApplicationContext()) {
			testContext.getApplicationContext().getBeanProvider(LoopbackFaults.class).forEach((faults) -> {
				faults.heal();
				faults.insertDevice();
			});
		}
	}

}
