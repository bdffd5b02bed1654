package io.github.rdmaboot.provider.loopback;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.ReceiveWorkRequest;
import org.jspecify.annotations.Nullable;

/**
 * Receives of one queue pair or of those that share it, and the peers that wait for one.
 * Guarded by the fabric's lock.
 */
final class ReceiveQueue {

	private final int maxWr;

	private final int maxSge;

	private final Queue<Receive> receives = new ArrayDeque<>();

	private final Deque<Receive> idle = new ArrayDeque<>();

	private final Set<LoopbackQp> waiting = new LinkedHashSet<>(0);

	ReceiveQueue(int maxWr, int maxSge) {
		this.maxWr = maxWr;
		this.maxSge = maxSge;
	}

	/**
	 * Add a list of receives.
	 * @param first the first request
	 * @return 0 or the errno of the first request that was not taken
	 */
	int post(@Nullable ReceiveWorkRequest first) {
		int errno = 0;
		for (ReceiveWorkRequest request = first; request != null; request = request.next) {
			request.posted = false;
			if (errno == 0) {
				errno = postOne(request);
			}
		}
		return errno;
	}

	private int postOne(ReceiveWorkRequest request) {
		if (request.sgeCount < 0 || request.sgeCount > this.maxSge) {
			return Errno.EINVAL.value();
		}
		if (this.receives.size() == this.maxWr) {
			return Errno.ENOMEM.value();
		}
		Receive receive = this.idle.poll();
		if (receive == null) {
			receive = new Receive();
		}
		receive.set(request);
		this.receives.add(receive);
		request.posted = true;
		return 0;
	}

	/**
	 * Let the peers go on that found no receive.
	 */
	void resumeWaiting() {
		if (this.waiting.isEmpty() || this.receives.isEmpty()) {
			return;
		}
		List<LoopbackQp> peers = List.copyOf(this.waiting);
		this.waiting.clear();
		for (LoopbackQp peer : peers) {
			ReliableTransport.advance(peer);
		}
	}

	void await(LoopbackQp peer) {
		this.waiting.add(peer);
		peer.awaited = this;
	}

	void forget(LoopbackQp peer) {
		this.waiting.remove(peer);
	}

	@Nullable Receive poll() {
		return this.receives.poll();
	}

	/**
	 * Take back a receive that has completed, to be used again.
	 * @param receive the receive
	 */
	void recycle(Receive receive) {
		this.idle.push(receive);
	}

	boolean isEmpty() {
		return this.receives.isEmpty();
	}

	void clear() {
		this.receives.clear();
	}

	/**
	 * Posted receive, filled anew for each.
	 */
	static final class Receive {

		private final BufferList buffers = new BufferList();

		private long wrId;

		private void set(ReceiveWorkRequest request) {
			this.buffers.set(request.addresses, request.lengths, request.lkeys, request.sgeCount);
			this.wrId = request.wrId;
		}

		// The number that the completion carries.
		long wrId() {
			return this.wrId;
		}

		// Where the message goes.
		BufferList buffers() {
			return this.buffers;
		}

	}

}
