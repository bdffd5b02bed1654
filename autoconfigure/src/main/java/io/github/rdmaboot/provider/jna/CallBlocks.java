package io.github.rdmaboot.provider.jna;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Hands each thread a block of its own, which it keeps.
 * <p>
 * The block that was used last with a queue is found by the queue's address, for most
 * queues are used by one thread and a thread local takes longer. Threads race for these
 * entries, which does no harm: a thread uses an entry only if it is its own, and others
 * look at nothing but the owner, which is final.
 */
final class CallBlocks {

	private static final int SIZE = 64;

	// Queues are allocated, so their addresses differ in the bits from here on.
	private static final int SHIFT = 6;

	private final ThreadLocal<CallBlock> blocks;

	private final @Nullable CallBlock[] recent = new CallBlock[SIZE];

	CallBlocks(Supplier<FunctionCalls> calls) {
		this.blocks = ThreadLocal.withInitial(() -> new CallBlock(calls.get()));
	}

	/**
	 * Return the block of the current thread.
	 * @param queue the queue that it is for
	 * @return the block
	 */
	CallBlock current(long queue) {
		int index = (int) (queue >>> SHIFT) & SIZE - 1;
		CallBlock block = this.recent[index];
		return (block != null && block.isOwnedBy(Thread.currentThread())) ? block : find(index);
	}

	private CallBlock find(int index) {
		CallBlock block = this.blocks.get();
		if (block.isMissedOften()) {
			this.recent[index] = block;
		}
		return block;
	}

}
