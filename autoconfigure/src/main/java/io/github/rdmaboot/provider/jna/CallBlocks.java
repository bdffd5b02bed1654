package io.github.rdmaboot.provider.jna;

import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Hands each platform thread a block of its own, which it keeps, and lends a block to a
 * virtual thread for one call: there may be a new one for each message, and a block takes
 * some 10 KB of native memory.
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

	private final Supplier<FunctionCalls> calls;

	private final Predicate<Thread> virtual;

	private final ThreadLocal<CallBlock> blocks;

	private final @Nullable CallBlock[] recent = new CallBlock[SIZE];

	private final IdleObjects<CallBlock> idle = new IdleObjects<>();

	CallBlocks(Supplier<FunctionCalls> calls, Predicate<Thread> virtual) {
		this.calls = calls;
		this.virtual = virtual;
		this.blocks = ThreadLocal.withInitial(() -> new CallBlock(Thread.currentThread(), calls.get()));
	}

	/**
	 * Return a block for one call of the current thread; {@link #giveBack} has to follow.
	 * @param queue the queue that it is for
	 * @return the block
	 */
	CallBlock take(long queue) {
		int index = (int) (queue >>> SHIFT) & SIZE - 1;
		CallBlock block = this.recent[index];
		Thread thread = Thread.currentThread();
		if (block != null && block.isOwnedBy(thread)) {
			return block;
		}
		return this.virtual.test(thread) ? borrow() : find(index);
	}

	/**
	 * End the use of a block for one call.
	 * @param block the block
	 */
	void giveBack(CallBlock block) {
		if (block.isLent()) {
			this.idle.keep(block);
		}
	}

	private CallBlock find(int index) {
		CallBlock block = this.blocks.get();
		if (block.isMissedOften()) {
			this.recent[index] = block;
		}
		return block;
	}

	private CallBlock borrow() {
		CallBlock block = this.idle.take();
		return (block != null) ? block : new CallBlock(null, this.calls.get());
	}

}
