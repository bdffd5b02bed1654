package io.github.rdmaboot.endpoint;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import io.github.rdmaboot.provider.Errno;

/**
 * The same with a message of several fragments and with credits, with a fault at the
 * calls that carry them.
 */
class FaultAtEveryFragmentCallTests extends FaultAtEveryCallTests {

	private static final int BUFFER_SIZE = 1024;

	private static final Set<String> CALLS = Set.of("describeDevices", "ibvRegMr", "rdmaCreateQp", "ibvPostRecv",
			"ibvPostSend", "ibvPollCq", "rdmaDisconnect", "rdmaDestroyQp");

	@Override
	MemorySettings memory() {
		return new MemorySettings(BUFFER_SIZE, 8,
				new MessageSettings(OversizedMessages.FRAGMENT, 64 * BUFFER_SIZE, FlowControl.CREDITS));
	}

	// More fragments than there are credits at first.
	@Override
	byte[] message() {
		byte[] message = new byte[10 * BUFFER_SIZE];
		new Random(42).nextBytes(message);
		return message;
	}

	@Override
	Map<String, List<Errno>> errnos() {
		Map<String, List<Errno>> errnos = super.errnos();
		errnos.keySet().retainAll(CALLS);
		return errnos;
	}

}
