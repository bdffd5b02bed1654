package io.github.rdmaboot.provider.jna;

/**
 * A file descriptor to wait for.
 */
@CStruct("struct pollfd")
final class PollFdLayout {

	static final int SIZE = 8;

	@CField(value = "fd", size = 4)
	static final int FD = 0;

	@CField(value = "events", size = 2)
	static final int EVENTS = 4;

	@CField(value = "revents", size = 2)
	static final int REVENTS = 6;

	private PollFdLayout() {
	}

}
