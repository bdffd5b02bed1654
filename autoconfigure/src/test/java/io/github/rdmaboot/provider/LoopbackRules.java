package io.github.rdmaboot.provider;

/**
 * What the loopback does otherwise than soft-RoCE: those of its known differences, see
 * the package {@code provider.loopback}, that a call can show.
 */
final class LoopbackRules implements TransportRules {

	// No program may rely on what becomes of a request that was refused.
	@Override
	public RefusedSend refusedSend() {
		return RefusedSend.FORGOTTEN;
	}

	// Smaller queues find errors of accounting sooner.
	@Override
	public int roomForReceives(int asked) {
		return asked;
	}

	@Override
	public int roomForCompletions(int asked) {
		return asked;
	}

}
