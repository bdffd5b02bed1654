package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.AddressHandleAttributes;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.QueuePairType;
import io.github.rdmaboot.provider.SendFlag;
import io.github.rdmaboot.provider.SendWorkRequest;
import org.jspecify.annotations.Nullable;

/**
 * Takes send requests into the queue of a queue pair. Its methods are called with the
 * fabric's lock held.
 */
final class SendPosting {

	private SendPosting() {
	}

	/**
	 * Post a list of requests.
	 * @param process the process whose queue pair it is
	 * @param qp the queue pair
	 * @param first the first request
	 * @return 0 or the errno of the first request that was not taken
	 */
	static int post(LoopbackProcess process, LoopbackQp qp, @Nullable SendWorkRequest first) {
		int errno = 0;
		for (SendWorkRequest request = first; request != null; request = request.next) {
			request.posted = false;
			if (errno == 0) {
				errno = postOne(process, qp, request);
				request.posted = errno == 0;
			}
		}
		if (qp.state() == QueuePairState.ERR) {
			qp.flushSends();
		}
		else if (qp.resumption == null && qp.awaited == null) {
			ReliableTransport.advance(qp);
		}
		return errno;
	}

	private static int postOne(LoopbackProcess process, LoopbackQp qp, SendWorkRequest request) {
		boolean mayPost = qp.state() == QueuePairState.RTS || qp.state() == QueuePairState.SQD
				|| qp.state() == QueuePairState.SQE || qp.state() == QueuePairState.ERR;
		Operation operation = Operation.of(request.opcode);
		if (!mayPost || operation == null || !isLegal(qp, operation, request)) {
			return Errno.EINVAL.value();
		}
		if (qp.sends.size() == qp.capabilities().maxSendWr()) {
			return Errno.ENOMEM.value();
		}
		PostedSend send = qp.newSend();
		send.set(request, operation, arrival(qp));
		if (send.has(SendFlag.INLINE)) {
			if (send.length() > qp.capabilities().maxInlineData()) {
				return Errno.EINVAL.value();
			}
			if (!send.copyInline(qp.fabric().memory())) {
				return Errno.EFAULT.value();
			}
		}
		return add(process, qp, request, send);
	}

	private static int add(LoopbackProcess process, LoopbackQp qp, SendWorkRequest request, PostedSend send) {
		if (qp.type() != QueuePairType.UD || qp.state() == QueuePairState.ERR) {
			qp.sends.add(send);
			return 0;
		}
		AddressHandleAttributes path = process.handles()
			.get("ibv_post_send", request.ah, LoopbackAh.class)
			.attributes();
		qp.sends.add(send);
		DatagramTransport.send(qp, request, path);
		return 0;
	}

	private static boolean isLegal(LoopbackQp qp, Operation operation, SendWorkRequest request) {
		if (request.sgeCount < 0 || request.sgeCount > qp.capabilities().maxSendSge()) {
			return false;
		}
		if (operation.hasImmediate() && !qp.fabric().hasImmediateData()) {
			return false;
		}
		if (operation.isAtomic()) {
			int length = (request.sgeCount > 0) ? request.lengths[0] : 0;
			return qp.type() == QueuePairType.RC && length >= Long.BYTES && (request.remoteAddress & 7) == 0;
		}
		return qp.type() == QueuePairType.RC || operation.isSend();
	}

	private static long arrival(LoopbackQp qp) {
		long delay = (qp.type() == QueuePairType.UD) ? 0
				: qp.fabric().network().delay(qp.settings.local, qp.settings.peer);
		return (delay != 0) ? qp.fabric().timer().now() + delay : 0;
	}

}
