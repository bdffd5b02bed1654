package io.github.rdmaboot.provider.jna;

/**
 * CPUs on which a thread may run.
 */
final class ThreadAffinity {

	private static final int THIS_THREAD = 0;

	private ThreadAffinity() {
	}

	/**
	 * Let the calling thread run on one CPU only.
	 * @param cpu the CPU, from 0
	 */
	static void pin(int cpu) {
		// An array of longs, in each of which the lowest bit is the first CPU.
		int size = (cpu / Long.SIZE + 1) * Long.BYTES;
		try (NativeBlock mask = new NativeBlock(size)) {
			mask.putLong(cpu / Long.SIZE * Long.BYTES, 1L << (cpu % Long.SIZE));
			CallOutcome.requireNotMinusOne("sched_setaffinity",
					Libc.sched_setaffinity(THIS_THREAD, size, mask.address()));
		}
	}

}
