package io.github.rdmaboot.endpoint;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider.Fault;

/**
 * The same with a server whose connections share a receive queue, with a fault at the
 * calls that have to do with it.
 */
class FaultAtEverySharedReceiveCallTests extends FaultAtEveryCallTests {

	private static final int SHARED = 16;

	private static final Set<String> CALLS = Set.of("ibvRegMr", "ibvCreateCq", "rdmaCreateQp", "ibvPollCq",
			"rdmaDestroyQp", "ibvDestroyCq", "ibvDeregMr", "ibvDeallocPd");

	@Override
	ServerSettings server(CompletionSettings completion) {
		return new ServerSettings("server", "192.0.2.1", 4711, 16, QUEUE_PAIR, CONNECTION, memory(), completion,
				ReconnectSettings.defaults(), SHARED);
	}

	@Override
	Map<String, List<Errno>> errnos() {
		Map<String, List<Errno>> errnos = new LinkedHashMap<>(super.errnos());
		errnos.keySet().retainAll(CALLS);
		errnos.put("ibvCreateSrq", List.of(Errno.EINVAL, Errno.ENOMEM));
		errnos.put("ibvPostSrqRecv", List.of(Errno.ENOMEM, Errno.EINVAL));
		errnos.put("ibvDestroySrq", List.of(Errno.EBUSY));
		return errnos;
	}

	@Override
	Set<String> knownCalls() {
		Map<String, List<Errno>> both = allErrnos();
		both.putAll(errnos());
		return both.keySet();
	}

	@Override
	int queuesOfConnection() {
		return 2;
	}

	@Override
	boolean isReported(Fault fault) {
		return fault.method().equals("ibvDestroySrq") || super.isReported(fault);
	}

}
