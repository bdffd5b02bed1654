package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;

/**
 * The data path as one would write it by hand with JNI for a program that only writes to
 * the peer's memory, one buffer at a time: a chain of requests, laid out once in native
 * memory, of which each post changes what may differ, and an array of completions, of
 * which the fields are read that such a program needs.
 */
final class HandWrittenJni {

	private static final int REQUEST = 128;

	private static final int BUFFER = 16;

	private static final int COMPLETION = 48;

	private final ByteBuffer requests;

	private final ByteBuffer buffers;

	private final ByteBuffer completions;

	private final long requestsAddress;

	private final long completionsAddress;

	private final int count;

	HandWrittenJni(int count) {
		this.count = count;
		this.requests = allocate(count * REQUEST);
		this.buffers = allocate(count * BUFFER);
		this.completions = allocate(count * COMPLETION);
		this.requestsAddress = address(this.requests);
		this.completionsAddress = address(this.completions);
		for (int i = 0; i < count; i++) {
			this.requests.putLong(i * REQUEST + 8, (i < count - 1) ? this.requestsAddress + (i + 1) * REQUEST : 0);
			this.requests.putLong(i * REQUEST + 16, address(this.buffers) + i * BUFFER);
			this.requests.putInt(i * REQUEST + 24, 1);
		}
	}

	private static ByteBuffer allocate(int size) {
		return ByteBuffer.allocateDirect((size + 127) / 64 * 64).alignedSlice(64).order(ByteOrder.nativeOrder());
	}

	void set(int i, long wrId, int opcode, int flags, long remoteAddress, int rkey) {
		int at = i * REQUEST;
		this.requests.putLong(at, wrId);
		this.requests.putInt(at + 28, opcode);
		this.requests.putInt(at + 32, flags);
		this.requests.putLong(at + 40, remoteAddress);
		this.requests.putInt(at + 48, rkey);
	}

	void setBuffer(int i, long address, int length, int lkey) {
		int at = i * BUFFER;
		this.buffers.putLong(at, address);
		this.buffers.putInt(at + 8, length);
		this.buffers.putInt(at + 12, lkey);
	}

	int post(long qp, SendWorkRequest first) {
		int i = 0;
		for (SendWorkRequest request = first; request != null; request = request.next) {
			set(i, request.wrId, request.opcode, request.flags, request.remoteAddress, request.rkey);
			setBuffer(i, request.addresses[0], request.lengths[0], request.lkeys[0]);
			i++;
		}
		return post(qp);
	}

	int post(long qp) {
		return postSend(qp, this.requestsAddress);
	}

	int poll(long cq, WorkCompletion[] completions) {
		int count = poll(cq);
		for (int i = 0; i < count; i++) {
			WorkCompletion completion = completions[i];
			completion.wrId = wrId(i);
			completion.status = status(i);
			completion.opcode = opcode(i);
			completion.byteLength = byteLength(i);
			completion.immediateData = immediateData(i);
			completion.qpNum = qpNum(i);
		}
		return count;
	}

	int poll(long cq) {
		return pollCq(cq, this.count, this.completionsAddress);
	}

	long wrId(int i) {
		return this.completions.getLong(i * COMPLETION);
	}

	int status(int i) {
		return this.completions.getInt(i * COMPLETION + 8);
	}

	int opcode(int i) {
		return this.completions.getInt(i * COMPLETION + 12);
	}

	int byteLength(int i) {
		return this.completions.getInt(i * COMPLETION + 20);
	}

	int immediateData(int i) {
		return this.completions.getInt(i * COMPLETION + 24);
	}

	int qpNum(int i) {
		return this.completions.getInt(i * COMPLETION + 28);
	}

	static native long createStub();

	static native long queuePair(long stub);

	static native long completionQueue(long stub);

	static native long sum(long stub);

	private static native long address(ByteBuffer buffer);

	private static native int postSend(long qp, long requests);

	private static native int pollCq(long cq, int count, long completions);

}
