package io.github.rdmaboot.provider.jna;

import io.github.rdmaboot.provider.SendFlag;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Posts and polls lists of one length: through the product's data path; through
 * hand-written JNI from the same requests into the same completions; and through JNI
 * without either, by a program that knows its native memory and keeps nothing else.
 */
@State(Scope.Thread)
public class CallCostBenchmark {

	private static final int OPCODE = WorkRequestOpcode.RDMA_WRITE.value();

	private static final int FLAGS = SendFlag.SIGNALED.value();

	/** Work requests of a post, completions of a poll. */
	@Param({ "1", "16" })
	public int length;

	private long qp;

	private long cq;

	private long next;

	private DataPath dataPath;

	private SendWorkRequest[] requests;

	private WorkCompletion[] completions;

	private HandWrittenJni jni;

	/**
	 * Create the stub and what works on it.
	 */
	@Setup
	public void prepare() {
		System.load(System.getProperty("stub.library"));
		long stub = HandWrittenJni.createStub();
		this.qp = HandWrittenJni.queuePair(stub);
		this.cq = HandWrittenJni.completionQueue(stub);
		this.dataPath = new DataPath(CallPath.choose());
		this.jni = new HandWrittenJni(this.length);
		this.requests = new SendWorkRequest[this.length];
		this.completions = new WorkCompletion[this.length];
		for (int i = this.length - 1; i >= 0; i--) {
			this.requests[i] = new SendWorkRequest(1);
			this.requests[i].sgeCount = 1;
			this.requests[i].next = (i < this.length - 1) ? this.requests[i + 1] : null;
			this.completions[i] = new WorkCompletion();
		}
		requireSameEffect(stub);
	}

	private void requireSameEffect(long stub) {
		long start = HandWrittenJni.sum(stub);
		int result = productPost();
		long product = HandWrittenJni.sum(stub) - start;
		this.next = 0;
		result |= jniPost();
		long jni = HandWrittenJni.sum(stub) - start - product;
		this.next = 0;
		result |= barePost();
		long bare = HandWrittenJni.sum(stub) - start - product - jni;
		long polled = productPoll();
		if (result != 0 || product == 0 || product != jni || product != bare || polled == 0 || polled != jniPoll()
				|| polled != barePoll()) {
			throw new IllegalStateException("Product and JNI do not do the same");
		}
	}

	/**
	 * Post through the product's data path.
	 * @return the result
	 */
	@Benchmark
	public int productPost() {
		fill();
		return this.dataPath.postSend(this.qp, this.requests[0]);
	}

	/**
	 * Post through JNI.
	 * @return the result
	 */
	@Benchmark
	public int jniPost() {
		fill();
		return this.jni.post(this.qp, this.requests[0]);
	}

	private void fill() {
		for (int i = 0; i < this.length; i++) {
			long n = this.next++;
			SendWorkRequest request = this.requests[i];
			request.wrId = n;
			request.opcode = OPCODE;
			request.flags = FLAGS;
			request.remoteAddress = 0x20000 + (n & 0xfff);
			request.rkey = 7;
			request.addresses[0] = 0x10000 + (n & 0xfff);
			request.lengths[0] = 64;
			request.lkeys[0] = 5;
		}
	}

	/**
	 * Post through JNI without request objects.
	 * @return the result
	 */
	@Benchmark
	public int barePost() {
		HandWrittenJni jni = this.jni;
		for (int i = 0; i < this.length; i++) {
			long n = this.next++;
			jni.set(i, n, OPCODE, FLAGS, 0x20000 + (n & 0xfff), 7);
			jni.setBuffer(i, 0x10000 + (n & 0xfff), 64, 5);
		}
		return jni.post(this.qp);
	}

	/**
	 * Poll through the product's data path.
	 * @return a value made of what such a program needs of each completion
	 */
	@Benchmark
	public long productPoll() {
		return sum(this.dataPath.pollCq(this.cq, this.completions));
	}

	/**
	 * Poll through JNI.
	 * @return a value made of what such a program needs of each completion
	 */
	@Benchmark
	public long jniPoll() {
		return sum(this.jni.poll(this.cq, this.completions));
	}

	private long sum(int count) {
		long sum = 0;
		for (int i = 0; i < count; i++) {
			WorkCompletion completion = this.completions[i];
			sum += completion.wrId + completion.status + completion.opcode + completion.byteLength
					+ completion.immediateData + completion.qpNum;
		}
		return sum;
	}

	/**
	 * Poll through JNI without completion objects.
	 * @return a value made of what such a program needs of each completion
	 */
	@Benchmark
	public long barePoll() {
		HandWrittenJni jni = this.jni;
		int count = jni.poll(this.cq);
		long sum = 0;
		for (int i = 0; i < count; i++) {
			sum += jni.wrId(i) + jni.status(i) + jni.opcode(i) + jni.byteLength(i) + jni.immediateData(i)
					+ jni.qpNum(i);
		}
		return sum;
	}

}
