package io.github.rdmaboot.autoconfigure;

/**
 * Advice on calls that failed for reasons of the machine, whatever they were for.
 */
final class CallAdvice {

	static final String OPEN_FILES = "Raise the limit of open files: ulimit -n, or LimitNOFILE of systemd.";

	private CallAdvice() {
	}

	// The call is one that waits for no peer, and the limit the properties that bound it.
	static String notReturned(String call, String limit) {
		return call + " waits for no peer: the driver or the kernel did not carry it out in time. "
				+ "The kernel's log (dmesg) may say why, and 'rdma link' shows the state of the device. If it only takes "
				+ "long, raise " + limit + ".";
	}

}
