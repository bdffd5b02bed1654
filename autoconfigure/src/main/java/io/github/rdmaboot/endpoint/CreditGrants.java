package io.github.rdmaboot.endpoint;

import java.util.concurrent.atomic.AtomicBoolean;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.SendFlag;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import io.github.rdmaboot.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/**
 * Takes the grants of the peer, and sends those that go without a message: one at a time,
 * from a place in the send queue that nothing else uses. Called by the threads that take
 * completions and hand messages on, and by those whose messages could not be sent;
 * neither locks nor allocates.
 */
final class CreditGrants {

	/** Distinguishes the completions of grants from those of other sends. */
	static final long WR_ID_GRANTS = 1L << 33;

	private final RdmaConnection connection;

	private final Credits credits;

	private final QueuePair queuePair;

	private final SendQueue sendQueue;

	private final OutstandingRequests outstanding;

	private final SendWorkRequest request = new SendWorkRequest(1);

	private final @Nullable ContentHeaders contentHeaders;

	private final AtomicBoolean underWay = new AtomicBoolean();

	CreditGrants(RdmaConnection connection, Credits credits, QueuePair queuePair, SendQueue sendQueue,
			OutstandingRequests outstanding) {
		this.connection = connection;
		this.credits = credits;
		this.queuePair = queuePair;
		this.sendQueue = sendQueue;
		this.outstanding = outstanding;
		this.request.wrId = WR_ID_GRANTS;
		this.contentHeaders = sendQueue.contentHeaders();
		this.request.opcode = ((this.contentHeaders != null) ? WorkRequestOpcode.SEND : WorkRequestOpcode.SEND_WITH_IMM)
			.value();
		this.request.sgeCount = (this.contentHeaders != null) ? 1 : 0;
		this.request.flags = SendFlag.SIGNALED.value();
		credits.grantBy(this::grantIfOwed);
	}

	// The connection is established, so the peer may be told of a queue that has more
	// receives than it begins with: it may want to send more at once than those.
	void established() {
		grantIfDue();
	}

	// Take what the peer grants.
	void granted(int count) {
		this.credits.granted(count);
		if (count > 0) {
			this.sendQueue.roomCame();
			grantIfDue();
		}
	}

	// A receive was posted again.
	void reposted() {
		this.credits.owe(1);
		grantIfDue();
	}

	// Take the completion of a grant.
	void completed(boolean failed) {
		this.outstanding.completed();
		if (!failed) {
			this.underWay.set(false);
			grantIfDue();
		}
	}

	private void grantIfDue() {
		grantIfOwed(this.credits.grantedAlone());
	}

	// Looks again whenever it could not post, for another thread may have made a grant
	// due meanwhile and left it to this one.
	private void grantIfOwed(int least) {
		while (this.credits.isGrantDue(least) && this.underWay.compareAndSet(false, true)) {
			if (grant(least)) {
				return;
			}
			this.underWay.set(false);
		}
	}

	private void head(int header) {
		this.request.immediateData = header;
		ContentHeaders contentHeaders = this.contentHeaders;
		if (contentHeaders != null) {
			contentHeaders.write(this.sendQueue.settings().maxOperations(), this.request, header);
		}
	}

	// Whether there was anything to grant, and a credit for it.
	private boolean grant(int least) {
		int owed = this.credits.takeGrant(least);
		if (owed == 0) {
			return false;
		}
		head(MessageHeader.CREDITS | MessageHeader.GRANT_ONLY | owed);
		this.outstanding.posted();
		int errno = this.queuePair.postSend(this.request);
		if (errno != 0) {
			this.outstanding.completed();
			if (errno != Errno.ENOTCONN.value()) {
				this.connection.failed(new RdmaException("ibv_post_send", errno));
			}
		}
		return true;
	}

}
