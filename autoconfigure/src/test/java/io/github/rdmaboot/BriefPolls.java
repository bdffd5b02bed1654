package io.github.rdmaboot;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Looks at conditions that are awaited more often than Awaitility would. Registered for
 * all tests; in the guest, where each look is dear, it is left out.
 */
public final class BriefPolls implements BeforeAllCallback {

	private static final Duration INTERVAL = Duration.ofMillis(10);

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultPollInterval(INTERVAL);
	}

}
