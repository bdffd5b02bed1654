package io.github.rdmaboot.endpoint;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

import io.github.rdmaboot.verbs.Device;
import io.github.rdmaboot.verbs.MemoryBlock;

/**
 * Memory from the pool of a device, for the local side of operations only: no peer can
 * reach it. Its first content is whatever the memory was used for before.
 */
public final class PooledBuffer extends RdmaMemory {

	private final ByteBuffer bytes;

	private final MemoryBlock block;

	private final Consumer<? super PooledBuffer> freed;

	private volatile boolean connectionEnded;

	private PooledBuffer(Device device, MemoryBlock block, ByteBuffer bytes, Consumer<? super PooledBuffer> freed) {
		super(device, bytes, block.address(), block.lkey());
		this.bytes = bytes;
		this.block = block;
		this.freed = freed;
	}

	// Take memory from the pool of a device, and be told when it is freed.
	static PooledBuffer allocate(Device device, int size, Consumer<? super PooledBuffer> freed) {
		MemoryBlock block = device.memoryPool().allocate(size);
		return new PooledBuffer(device, block, block.memory(), freed);
	}

	// Release the memory in place of the application, which may be writing into it: it is
	// lent again when nobody refers to its bytes any more.
	void connectionEnded() {
		this.connectionEnded = true;
		close();
	}

	@Override
	void free() {
		this.freed.accept(this);
		if (this.connectionEnded) {
			Unreferenced.CLEANER.register(this.bytes, this.block::release);
		}
		else {
			this.block.release();
		}
	}

	/**
	 * Made, with its thread, when it is needed first.
	 */
	private static final class Unreferenced {

		private static final Cleaner CLEANER = Cleaner.create();

	}

}
