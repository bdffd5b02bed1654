package io.github.rdmaboot.provider.loopback;

import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.SendFlag;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.provider.loopback.ReceiveQueue.Receive;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the sends of reliable queue pairs in their order, each at once unless the
 * network is slow, the peer does not answer or has no receive. Its methods are called
 * with the fabric's lock held.
 */
final class ReliableTransport {

	private static final int WITHOUT_END = 7;

	/** Acknowledgement timeout that the CM sets on RoCE. */
	private static final long ANSWER_NANOS = 4096L << 19;

	/**
	 * Times that a peer without a receive may ask for, by their code, in 10 µs.
	 */
	private static final int[] RNR_TIMES = { 65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384,
			512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152 };

	private ReliableTransport() {
	}

	/**
	 * Carry out what can be.
	 * @param qp the sender
	 */
	static void advance(LoopbackQp qp) {
		qp.stopWaiting();
		boolean going = true;
		while (going && qp.state() == QueuePairState.RTS && !qp.sends.isEmpty()) {
			PostedSend send = qp.sends.element();
			long early = send.arrivesAt - qp.fabric().timer().now();
			if (send.arrivesAt != 0 && early > 0) {
				resumeAfter(qp, early);
				return;
			}
			going = attempt(qp, send);
		}
	}

	private static boolean attempt(LoopbackQp qp, PostedSend send) {
		LoopbackQp peer = qp.fabric().queuePairs().get(qp.settings.destination);
		if (peer == null || !answers(qp, peer)) {
			return unanswered(qp, send);
		}
		if (send.operation.fetches()) {
			return fetch(qp, peer, send);
		}
		CompletionStatus readable = send.checkData(qp);
		if (readable != CompletionStatus.SUCCESS) {
			qp.completeSend(readable, 0);
			return false;
		}
		byte[] data = send.data(qp);
		Receive receive = null;
		if (send.operation.takesReceive()) {
			receive = peer.receives().poll();
			if (receive == null) {
				return refused(qp, peer, send);
			}
		}
		CompletionStatus status = send.operation.isSend() ? deliver(qp, peer, send, data, receive)
				: write(qp, peer, send, data, receive);
		finish(qp, peer, status, 0);
		return status == CompletionStatus.SUCCESS;
	}

	private static boolean answers(LoopbackQp qp, LoopbackQp peer) {
		boolean listening = peer.state() == QueuePairState.RTR || peer.state() == QueuePairState.RTS
				|| peer.state() == QueuePairState.SQD;
		return listening && peer.settings.destination == qp.number()
				&& qp.fabric().network().passes(qp.settings.local, qp.settings.peer);
	}

	private static boolean unanswered(LoopbackQp qp, PostedSend send) {
		send.unanswered++;
		if (qp.settings.retryCount != WITHOUT_END && send.unanswered > qp.settings.retryCount + 1) {
			qp.completeSend(CompletionStatus.RETRY_EXC_ERR, 0);
		}
		else {
			resumeAfter(qp, ANSWER_NANOS);
		}
		return false;
	}

	private static boolean refused(LoopbackQp qp, LoopbackQp peer, PostedSend send) {
		send.refusals++;
		if (qp.settings.rnrRetry == WITHOUT_END) {
			peer.receives().await(qp);
		}
		else if (send.refusals > qp.settings.rnrRetry) {
			qp.completeSend(CompletionStatus.RNR_RETRY_EXC_ERR, 0);
		}
		else {
			peer.receives().await(qp);
			resumeAfter(qp, TimeUnit.MICROSECONDS.toNanos(10L * RNR_TIMES[peer.settings.minRnrTimer & 31]));
		}
		return false;
	}

	private static CompletionStatus deliver(LoopbackQp qp, LoopbackQp peer, PostedSend send, byte[] data,
			@Nullable Receive receive) {
		if (receive == null) {
			return CompletionStatus.REM_OP_ERR;
		}
		// Soft-RoCE reports a receive that is too small as it does memory that is not
		// permitted, where hardware has LOC_LEN_ERR and REM_INV_REQ_ERR.
		int length = send.length();
		boolean taken = length <= receive.buffers().totalLength()
				&& receive.buffers().scatter(qp.fabric().memory(), peer.pd(), data, length);
		CompletionStatus atPeer = taken ? CompletionStatus.SUCCESS : CompletionStatus.LOC_QP_OP_ERR;
		CompletionStatus atSender = taken ? CompletionStatus.SUCCESS : CompletionStatus.REM_OP_ERR;
		completeReceive(qp, peer, send, receive, atPeer, CompletionOpcode.RECV, length);
		return atSender;
	}

	private static CompletionStatus write(LoopbackQp qp, LoopbackQp peer, PostedSend send, byte[] data,
			@Nullable Receive receive) {
		CompletionStatus status = RemoteMemory.write(peer, send.remoteAddress, send.rkey, data, send.length());
		if (status == CompletionStatus.SUCCESS && receive != null) {
			completeReceive(qp, peer, send, receive, status, CompletionOpcode.RECV_RDMA_WITH_IMM, send.length());
		}
		else if (receive != null) {
			completeReceive(qp, peer, send, receive, status, CompletionOpcode.RECV_RDMA_WITH_IMM, 0);
		}
		return status;
	}

	private static boolean fetch(LoopbackQp qp, LoopbackQp peer, PostedSend send) {
		if (qp.settings.maxRdAtomic == 0) {
			// The requester may have none outstanding: soft-RoCE waits for ever.
			return false;
		}
		int length = send.operation.isAtomic() ? Long.BYTES : send.buffers.totalLength();
		byte[] data = qp.fabric().memory().scratch(length);
		CompletionStatus status = switch (send.operation) {
			case READ -> RemoteMemory.read(peer, send.remoteAddress, send.rkey, data, length);
			case COMPARE_AND_SWAP ->
				RemoteMemory.compareAndSwap(peer, send.remoteAddress, send.rkey, send.compareAdd, send.swap, data);
			default -> RemoteMemory.fetchAndAdd(peer, send.remoteAddress, send.rkey, send.compareAdd, data);
		};
		if (status == CompletionStatus.SUCCESS && !send.buffers.scatter(qp.fabric().memory(), qp.pd(), data, length)) {
			qp.completeSend(CompletionStatus.LOC_PROT_ERR, 0);
			return false;
		}
		finish(qp, peer, status, length);
		return status == CompletionStatus.SUCCESS;
	}

	private static void finish(LoopbackQp qp, LoopbackQp peer, CompletionStatus status, int byteLength) {
		if (status != CompletionStatus.SUCCESS) {
			peer.toError();
		}
		qp.completeSend(status, (status == CompletionStatus.SUCCESS) ? byteLength : 0);
	}

	private static void completeReceive(LoopbackQp qp, LoopbackQp peer, PostedSend send, Receive receive,
			CompletionStatus status, CompletionOpcode opcode, int length) {
		WorkCompletion completion = peer.newReceiveCompletion(receive.wrId(), status, opcode);
		boolean success = status == CompletionStatus.SUCCESS;
		completion.sourceQp = qp.number();
		completion.byteLength = success ? length : 0;
		if (send.operation.hasImmediate()) {
			completion.immediateData = send.immediateData;
			completion.flags = success ? 2 : 0;
		}
		peer.completeReceive(completion, send.has(SendFlag.SOLICITED) || !success);
		peer.receives().recycle(receive);
	}

	private static void resumeAfter(LoopbackQp qp, long nanos) {
		qp.resumption = qp.fabric().timer().schedule(nanos, () -> {
			qp.resumption = null;
			advance(qp);
		});
	}

}
