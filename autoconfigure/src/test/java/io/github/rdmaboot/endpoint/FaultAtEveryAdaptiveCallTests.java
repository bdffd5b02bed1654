package io.github.rdmaboot.endpoint;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.verbs.CompletionMode;

/**
 * The same while a thread polls after events, with a fault at the calls that have to do
 * with completions.
 */
class FaultAtEveryAdaptiveCallTests extends FaultAtEveryCallTests {

	private static final Set<String> CALLS = Set.of("createWaker", "ibvCreateCompChannel", "ibvCreateCq",
			"ibvReqNotifyCq", "awaitCqEvent", "ibvGetCqEvent", "ibvAckCqEvents", "ibvPollCq", "rdmaDestroyQp",
			"ibvDestroyCq", "ibvDestroyCompChannel", "wake", "destroyWaker");

	@Override
	CompletionMode mode() {
		return CompletionMode.ADAPTIVE;
	}

	@Override
	Map<String, List<Errno>> errnos() {
		Map<String, List<Errno>> errnos = super.errnos();
		errnos.keySet().retainAll(CALLS);
		return errnos;
	}

	// A thread that polls long enough to find something need not wait for it.
	@Override
	int calls(String method, int counted) {
		return method.equals("awaitCqEvent") ? MAX_NUMBER : counted;
	}

}
