package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;

import io.github.rdmaboot.verbs.Device;

/**
 * Memory from the pool of a device, for the local side of operations only: no peer can
 * reach it.
 */
public final class PooledBuffer extends RdmaMemory {

	private final Runnable giveBack;

	PooledBuffer(Device device, ByteBuffer data, long address, int lkey, Runnable giveBack) {
		super(device, data, address, lkey);
		this.giveBack = giveBack;
	}

	@Override
	void free() {
		this.giveBack.run();
	}

}
