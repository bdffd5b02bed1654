package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;

/**
 * Device of the native stub library, which the product's data path posts to and polls as
 * it does with one of libibverbs.
 */
public final class StubDevice {

	static {
		System.load(System.getProperty("stub.library"));
	}

	private final DataPath dataPath = new DataPath(CallPath.choose());

	/**
	 * Create a completion queue.
	 * @return the address of its {@code struct ibv_cq}
	 */
	public long createCompletionQueue() {
		return createCq();
	}

	/**
	 * Create a queue pair, and connect it if it is the second one, the fourth and so on.
	 * @param sendCq the address of the completion queue of what it sends
	 * @param recvCq the address of the completion queue of what it receives
	 * @param number its number
	 * @return the address of its {@code struct ibv_qp}
	 */
	public long createQueuePair(long sendCq, long recvCq, int number) {
		synchronized (StubDevice.class) {
			return createQp(sendCq, recvCq, number);
		}
	}

	/**
	 * Return the address of memory.
	 * @param memory the memory, a direct buffer
	 * @return the address of its first byte
	 */
	public long address(ByteBuffer memory) {
		return addressOf(memory.slice());
	}

	/**
	 * Post requests.
	 * @param qp the address of the queue pair
	 * @param first the first request
	 * @return 0 or an errno
	 */
	public int postSend(long qp, SendWorkRequest first) {
		return this.dataPath.postSend(qp, first);
	}

	/**
	 * Post receives.
	 * @param qp the address of the queue pair
	 * @param first the first receive
	 * @return 0 or an errno
	 */
	public int postRecv(long qp, ReceiveWorkRequest first) {
		return this.dataPath.postRecv(qp, first);
	}

	/**
	 * Poll a completion queue.
	 * @param cq the address of the completion queue
	 * @param completions the completions to fill
	 * @return how many were filled
	 */
	public int pollCq(long cq, WorkCompletion[] completions) {
		return this.dataPath.pollCq(cq, completions);
	}

	private static native long createCq();

	private static native long createQp(long sendCq, long recvCq, int number);

	private static native long addressOf(ByteBuffer memory);

}
