package io.github.rdmaboot.provider.jna;

import java.util.function.Predicate;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;

/**
 * The verbs that C defines as inline functions: calls through the function pointers of
 * the device context. Safe for any number of threads, as each works in native memory that
 * no other uses meanwhile.
 */
final class DataPath {

	private final CallBlocks blocks;

	DataPath(CallPath path) {
		this(path, VirtualThreads::isVirtual);
	}

	DataPath(CallPath path, Predicate<Thread> virtual) {
		this.blocks = new CallBlocks(path::calls, virtual);
	}

	int postSend(long qp, SendWorkRequest first) {
		CallBlock block = this.blocks.take(qp);
		try {
			SendRequestList list = block.sends();
			long function = function(block, qp + QueuePairLayout.CONTEXT, ContextLayout.POST_SEND);
			int result = block.post(function, qp, list.write(first));
			if (result != 0) {
				list.refuse(first, block.bad());
			}
			return Math.abs(result);
		}
		finally {
			this.blocks.giveBack(block);
		}
	}

	int postRecv(long qp, ReceiveWorkRequest first) {
		return post(qp, QueuePairLayout.CONTEXT, ContextLayout.POST_RECV, first);
	}

	int postSrqRecv(long srq, ReceiveWorkRequest first) {
		return post(srq, SharedReceiveQueueLayout.CONTEXT, ContextLayout.POST_SRQ_RECV, first);
	}

	private int post(long queue, int context, int offset, ReceiveWorkRequest first) {
		CallBlock block = this.blocks.take(queue);
		try {
			ReceiveRequestList list = block.receives();
			int result = block.post(function(block, queue + context, offset), queue, list.write(first));
			if (result != 0) {
				list.refuse(first, block.bad());
			}
			return Math.abs(result);
		}
		finally {
			this.blocks.giveBack(block);
		}
	}

	int pollCq(long cq, WorkCompletion[] completions) {
		if (completions.length == 0) {
			return 0;
		}
		CallBlock block = this.blocks.take(cq);
		try {
			CompletionArray array = block.completions();
			long function = function(block, cq + CompletionQueueLayout.CONTEXT, ContextLayout.POLL_CQ);
			int count = block.calls().poll(function, cq, completions.length, array.reserve(completions.length));
			if (count < 0) {
				throw new RdmaException("ibv_poll_cq", Errno.EIO.value());
			}
			array.read(completions, count);
			return count;
		}
		finally {
			this.blocks.giveBack(block);
		}
	}

	int reqNotifyCq(long cq, boolean solicitedOnly) {
		CallBlock block = this.blocks.take(cq);
		try {
			long function = function(block, cq + CompletionQueueLayout.CONTEXT, ContextLayout.REQ_NOTIFY_CQ);
			return Math.abs(block.calls().arm(function, cq, solicitedOnly ? 1 : 0));
		}
		finally {
			this.blocks.giveBack(block);
		}
	}

	// Read anew for each call: an address may be used again for an object of another
	// device.
	private static long function(CallBlock block, long contextField, int offset) {
		return block.calls().pointerAt(block.calls().pointerAt(contextField) + offset);
	}

}
