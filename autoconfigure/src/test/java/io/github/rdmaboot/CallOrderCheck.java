package io.github.rdmaboot;

import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.StopPlan;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fails each test in which native calls were made in a wrong order. Registered for all
 * tests.
 */
public final class CallOrderCheck implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {

	private static volatile boolean registered;

	static boolean isRegistered() {
		return registered;
	}

	@Override
	public void beforeAll(ExtensionContext context) {
		registered = true;
		StopPlan.follow();
	}

	@Override
	public void afterEach(ExtensionContext context) {
		CallOrder.tolerateNothing();
		assertThat(CallOrder.takeViolations()).as("native calls in a wrong order").isEmpty();
	}

	// What has gone on in the background, or was done by methods for all tests.
	@Override
	public void afterAll(ExtensionContext context) {
		assertThat(CallOrder.takeViolations()).as("native calls in a wrong order after %s", context.getDisplayName())
			.isEmpty();
	}

}
