package io.github.rdmaboot.provider.jna;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;

/**
 * The verbs that C defines as inline functions: calls through the function pointers of
 * the device context. Safe for any number of threads, as each works in native memory of
 * its own, which it keeps.
 */
final class DataPath {

	private final ThreadLocal<CallBlock> blocks = ThreadLocal.withInitial(CallBlock::new);

	int postSend(long qp, SendWorkRequest first) {
		CallBlock block = this.blocks.get();
		SendRequestList list = block.sends();
		long function = function(qp + QueuePairLayout.CONTEXT, ContextLayout.POST_SEND);
		int result = block.callWithOutput(function, qp, list.write(first));
		list.markPosted(first, block.output(), result);
		return Math.abs(result);
	}

	int postRecv(long qp, ReceiveWorkRequest first) {
		return post(function(qp + QueuePairLayout.CONTEXT, ContextLayout.POST_RECV), qp, first);
	}

	int postSrqRecv(long srq, ReceiveWorkRequest first) {
		return post(function(srq + SharedReceiveQueueLayout.CONTEXT, ContextLayout.POST_SRQ_RECV), srq, first);
	}

	private int post(long function, long queue, ReceiveWorkRequest first) {
		CallBlock block = this.blocks.get();
		ReceiveRequestList list = block.receives();
		int result = block.callWithOutput(function, queue, list.write(first));
		list.markPosted(first, block.output(), result);
		return Math.abs(result);
	}

	int pollCq(long cq, WorkCompletion[] completions) {
		if (completions.length == 0) {
			return 0;
		}
		CallBlock block = this.blocks.get();
		CompletionArray array = block.completions();
		int count = block.call(function(cq + CompletionQueueLayout.CONTEXT, ContextLayout.POLL_CQ), cq,
				completions.length, array.reserve(completions.length));
		if (count < 0) {
			throw new RdmaException("ibv_poll_cq", Errno.EIO.value());
		}
		array.read(completions, count);
		return count;
	}

	int reqNotifyCq(long cq, boolean solicitedOnly) {
		long function = function(cq + CompletionQueueLayout.CONTEXT, ContextLayout.REQ_NOTIFY_CQ);
		return Math.abs(this.blocks.get().call(function, cq, solicitedOnly ? 1 : 0));
	}

	// Read anew for each call: an address may be used again for an object of another
	// device.
	private static long function(long contextField, int offset) {
		return RawMemory.getLong(RawMemory.getLong(contextField) + offset);
	}

}
