package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.verbs.CompletionMode;

/**
 * The same while a thread polls, with a fault at the calls that have to do with
 * completions or are made while it polls.
 */
class FaultAtEveryPollTests extends FaultAtEveryCallTests {

	private static final Set<String> CALLS = Set.of("ibvAllocPd", "ibvCreateCq", "ibvPollCq", "ibvPostRecv",
			"ibvPostSend", "rdmaDisconnect", "ibvModifyQp", "rdmaDestroyQp", "ibvDeregMr", "ibvDestroyCq",
			"ibvDeallocPd", "rdmaDestroyId");

	@Override
	CompletionMode mode() {
		return CompletionMode.POLL;
	}

	@Override
	Map<String, List<Errno>> errnos() {
		Map<String, List<Errno>> errnos = super.errnos();
		errnos.keySet().retainAll(CALLS);
		return errnos;
	}

	// Each keeps a processor busy.
	@Override
	int runsAtOnce() {
		return 6;
	}

	@Override
	ShutdownSettings limits(Fault fault) {
		return new ShutdownSettings(Duration.ofSeconds(4), Duration.ofMillis(150), Duration.ofMillis(150),
				(fault.kind() == Kind.BLOCK) ? Duration.ofMillis(750) : Duration.ofSeconds(3));
	}

}
