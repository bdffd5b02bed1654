package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;

/**
 * Waits for file descriptors with {@code poll} and wakes those that wait with
 * {@code eventfd}. Safe for any number of threads, as each polls with native memory of
 * its own.
 */
final class Waiting {

	private static final int COUNTER_SIZE = 8;

	// Behind the two structures lies the counter that a read of the eventfd fills.
	private static final int COUNTER = 2 * PollFdLayout.SIZE;

	private final ThreadLocal<Block> blocks = ThreadLocal.withInitial(Block::new);

	/**
	 * Create a waker.
	 * @return the waker, never 0 although a file descriptor may be
	 */
	long create() {
		int fd = Libc.eventfd(0, Libc.EFD_CLOEXEC | Libc.EFD_NONBLOCK);
		CallOutcome.requireNotMinusOne("eventfd", fd);
		return fd + 1L;
	}

	void wake(long waker) {
		Block block = this.blocks.get();
		block.memory.putLong(COUNTER, 1);
		while (Libc.write(fd(waker), block.address + COUNTER, COUNTER_SIZE) == -1) {
			int errno = CallOutcome.lastErrno();
			if (errno == Errno.EAGAIN.value()) {
				// The counter is full, so a wake-up is pending already.
				return;
			}
			if (errno != Errno.EINTR.value()) {
				throw new RdmaException("write", errno);
			}
		}
	}

	void destroy(long waker) {
		CallOutcome.requireNotMinusOne("close", Libc.close(fd(waker)));
	}

	/**
	 * Wait until a file descriptor is readable, the waker is woken or the time is up.
	 * @param fd the file descriptor
	 * @param waker the waker
	 * @param timeoutMillis how long to wait at most
	 * @return whether the file descriptor is readable
	 */
	boolean await(int fd, long waker, int timeoutMillis) {
		Block block = this.blocks.get();
		ByteBuffer memory = block.memory;
		prepare(memory, 0, fd);
		prepare(memory, PollFdLayout.SIZE, fd(waker));
		poll(block.address, timeoutMillis);
		int wakerEvents = memory.getShort(PollFdLayout.SIZE + PollFdLayout.REVENTS);
		if ((wakerEvents & Libc.POLLNVAL) != 0) {
			throw new RdmaException("poll", Errno.EBADF.value(),
					"poll failed with " + Errno.describe(Errno.EBADF.value()) + ": the waker was destroyed");
		}
		if ((wakerEvents & Libc.POLLIN) != 0) {
			drain(fd(waker), block.address + COUNTER);
		}
		return isReadable(memory.getShort(PollFdLayout.REVENTS));
	}

	private static void prepare(ByteBuffer block, int offset, int fd) {
		block.putInt(offset + PollFdLayout.FD, fd);
		block.putShort(offset + PollFdLayout.EVENTS, (short) Libc.POLLIN);
		block.putShort(offset + PollFdLayout.REVENTS, (short) 0);
	}

	private static void poll(long address, int timeoutMillis) {
		long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
		int remaining = timeoutMillis;
		while (Libc.poll(address, 2, remaining) == -1) {
			int errno = CallOutcome.lastErrno();
			if (errno != Errno.EINTR.value()) {
				throw new RdmaException("poll", errno);
			}
			remaining = (int) Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
		}
	}

	private static void drain(int fd, long address) {
		while (Libc.read(fd, address, COUNTER_SIZE) == -1) {
			int errno = CallOutcome.lastErrno();
			if (errno == Errno.EAGAIN.value()) {
				// Another thread that waits with the same waker has consumed it.
				return;
			}
			if (errno != Errno.EINTR.value()) {
				throw new RdmaException("read", errno);
			}
		}
	}

	private static boolean isReadable(int events) {
		if ((events & Libc.POLLNVAL) != 0) {
			throw new RdmaException("poll", Errno.EBADF.value());
		}
		if ((events & (Libc.POLLERR | Libc.POLLHUP)) != 0) {
			throw new RdmaException("poll", Errno.EIO.value(),
					"poll failed with " + Errno.describe(Errno.EIO.value()) + ": the device is gone");
		}
		return (events & Libc.POLLIN) != 0;
	}

	private static int fd(long waker) {
		return (int) (waker - 1);
	}

	/**
	 * Native memory of one thread, whose address is asked for once: that is a call
	 * through JNI.
	 */
	private static final class Block {

		private final ByteBuffer memory = CallBlock.allocate(COUNTER + COUNTER_SIZE);

		private final long address = CallBlock.addressOf(this.memory);

	}

}
