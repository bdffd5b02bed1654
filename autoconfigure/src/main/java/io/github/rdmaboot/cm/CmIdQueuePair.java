package io.github.rdmaboot.cm;

import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.Set;

import io.github.rdmaboot.provider.CreatedQueuePair;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.RdmaException;

/**
 * The queue pair of a CM id and the multicast groups that it is in. Events that are
 * fetched may touch it inside librdmacm, which must not meet the calls that end its use.
 */
final class CmIdQueuePair {

	private static final Set<CmIdState> QUEUE_PAIR_STATES = EnumSet.of(CmIdState.ADDRESS_RESOLVED,
			CmIdState.ROUTE_RESOLVED, CmIdState.REQUESTED);

	private static final Set<CmIdState> DATAGRAM_QUEUE_PAIR_STATES = EnumSet.of(CmIdState.BOUND,
			CmIdState.ADDRESS_RESOLVED, CmIdState.ROUTE_RESOLVED, CmIdState.REQUESTED);

	private static final Set<CmIdState> GROUP_STATES = EnumSet.of(CmIdState.BOUND, CmIdState.ADDRESS_RESOLVED);

	private final OwnedCmId id;

	private final CmIdGuard guard;

	CmIdQueuePair(OwnedCmId id, CmIdGuard guard) {
		this.id = id;
		this.guard = guard;
	}

	CreatedQueuePair create(long pd, QueuePairInit init) {
		this.guard.lock();
		try {
			this.guard.require("rdma_create_qp",
					this.id.current.datagram ? DATAGRAM_QUEUE_PAIR_STATES : QUEUE_PAIR_STATES);
			this.guard.requireDevice("rdma_create_qp", this.id.current.handle);
			if (this.id.current.queuePair != null) {
				throw new IllegalStateException(
						this.guard.describe("rdma_create_qp") + ": it has a queue pair already");
			}
			CreatedQueuePair created = this.guard
				.remember(() -> this.id.provider().rdmaCreateQp(this.id.current.handle, pd, init));
			this.id.current.queuePair = created;
			return created;
		}
		finally {
			this.guard.unlock();
		}
	}

	void destroy() {
		this.guard.lock();
		try {
			this.guard.requireQueuePair("rdma_destroy_qp");
			NativeCmId cmId = this.id.current;
			try {
				if (!cmId.isQueuePairInUseByEvents() || silenced(cmId)) {
					this.id.provider().rdmaDestroyQp(cmId.handle);
				}
				else {
					cmId.channel().withoutFetching(() -> this.id.provider().rdmaDestroyQp(cmId.handle));
				}
			}
			finally {
				// One that could not be destroyed is lost; the id can be destroyed all
				// the same.
				cmId.queuePair = null;
			}
		}
		finally {
			this.guard.unlock();
		}
	}

	// Begin to join a group.
	void join(InetSocketAddress group) {
		this.guard.lock();
		try {
			this.guard.require("rdma_join_multicast", GROUP_STATES);
			this.guard.requireQueuePair("rdma_join_multicast");
			NativeCmId cmId = this.id.current;
			MulticastJoins joins = cmId.joins();
			long number = joins.begin(group);
			boolean begun = false;
			try {
				this.guard.remember(() -> {
					this.id.provider().rdmaJoinMulticast(cmId.handle, group, number);
					return 0L;
				});
				begun = true;
			}
			finally {
				if (!begun) {
					joins.cancel(number);
				}
			}
		}
		finally {
			this.guard.unlock();
		}
	}

	// Leave a group, also one whose join has not been answered.
	void leave(InetSocketAddress group) {
		this.guard.lock();
		try {
			NativeCmId cmId = this.id.current;
			if (!cmId.state().isLive()) {
				throw new IllegalStateException(this.guard.describe("rdma_leave_multicast"));
			}
			cmId.channel().acknowledged("rdma_leave_multicast", this.id, cmId.ledger, () -> {
			});
			this.guard.remember(() -> {
				leave(cmId, group);
				return 0L;
			});
		}
		finally {
			this.guard.unlock();
		}
	}

	private void leave(NativeCmId cmId, InetSocketAddress group) {
		MulticastJoins joins = cmId.joins();
		try {
			withoutAnswer(cmId, joins.isUnanswered(group),
					() -> this.id.provider().rdmaLeaveMulticast(cmId.handle, group));
		}
		finally {
			// librdmacm has let go of the group also if the kernel could not.
			joins.left(group);
		}
	}

	// The answer to a join attaches the queue pair inside librdmacm when it is fetched,
	// which must not be while the group is left. Answers of other groups may be.
	private void withoutAnswer(NativeCmId cmId, boolean expected, Runnable call) {
		if (!expected) {
			call.run();
		}
		else if (silenced(cmId)) {
			try {
				call.run();
			}
			finally {
				cmId.channel().listenAgain(cmId.handle);
			}
		}
		else {
			// It waits for what is not acknowledged, and all events with it.
			cmId.channel().acknowledged("rdma_leave_multicast", this.id, cmId.ledger, call);
		}
	}

	// Fetching the answer to a connect or a join touches the queue pair inside librdmacm.
	// It must not be fetched during a call that ends that use, and the call must not keep
	// the events of other ids from being fetched, for it may never return.
	private boolean silenced(NativeCmId cmId) {
		try {
			cmId.channel().silence(this.id, cmId);
			return true;
		}
		catch (RdmaException ex) {
			this.id.lastError = ex;
			return false;
		}
	}

}
