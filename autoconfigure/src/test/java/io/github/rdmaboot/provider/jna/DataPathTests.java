package io.github.rdmaboot.provider.jna;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DataPathTests {

	private final FakeDriver driver = new FakeDriver();

	private final DataPath dataPath = new DataPath(CallPath.choose());

	private final List<Long> seen = new ArrayList<>();

	@AfterEach
	void close() {
		this.driver.close();
	}

	@Test
	void sendsReachTheDriverAsAList() {
		this.driver.onPost(ContextLayout.POST_SEND, (queue, requests, bad) -> {
			this.seen.add(queue);
			for (long at = requests; at != 0; at = RawMemory.getLong(at + SendWorkRequestLayout.NEXT)) {
				this.seen.add(RawMemory.getLong(at + SendWorkRequestLayout.WR_ID));
			}
			return 0;
		});
		SendWorkRequest first = sends(3);
		assertThat(this.dataPath.postSend(this.driver.queue(), first)).isZero();
		assertThat(this.seen).containsExactly(this.driver.queue(), 0L, 1L, 2L);
		assertThat(first.posted).isTrue();
		this.seen.clear();
		assertThat(this.dataPath.postSend(this.driver.queue(), sends(1))).isZero();
		assertThat(this.seen).as("a shorter list after a longer one").containsExactly(this.driver.queue(), 0L);
	}

	@Test
	void aRefusedSendAndThoseBehindItAreNotPosted() {
		this.driver.onPost(ContextLayout.POST_SEND, (queue, requests, bad) -> {
			RawMemory.putLong(bad, RawMemory.getLong(requests + SendWorkRequestLayout.NEXT));
			return Errno.ENOMEM.value();
		});
		SendWorkRequest first = sends(3);
		assertThat(this.dataPath.postSend(this.driver.queue(), first)).isEqualTo(Errno.ENOMEM.value());
		assertThat(first.posted).isTrue();
		assertThat(first.next.posted).isFalse();
		assertThat(first.next.next.posted).isFalse();
	}

	@Test
	void aDriverThatTellsNoRequestHasPostedNone() {
		this.driver.onPost(ContextLayout.POST_SEND, (queue, requests, bad) -> -Errno.EINVAL.value());
		SendWorkRequest first = sends(2);
		assertThat(this.dataPath.postSend(this.driver.queue(), first)).isEqualTo(Errno.EINVAL.value());
		assertThat(first.posted).isFalse();
		assertThat(first.next.posted).isFalse();
	}

	@Test
	void receivesReachTheQueuePairAndTheSharedQueue() {
		this.driver.onPost(ContextLayout.POST_RECV, (queue, requests, bad) -> {
			this.seen.add(RawMemory.getLong(requests + ReceiveWorkRequestLayout.WR_ID));
			return 0;
		});
		this.driver.onPost(ContextLayout.POST_SRQ_RECV, (queue, requests, bad) -> {
			this.seen.add(RawMemory.getLong(requests + ReceiveWorkRequestLayout.WR_ID));
			RawMemory.putLong(bad, requests);
			return Errno.ENOMEM.value();
		});
		ReceiveWorkRequest request = new ReceiveWorkRequest(1);
		request.wrId = 7;
		assertThat(this.dataPath.postRecv(this.driver.queue(), request)).isZero();
		assertThat(request.posted).isTrue();
		request.wrId = 8;
		assertThat(this.dataPath.postSrqRecv(this.driver.queue(), request)).isEqualTo(Errno.ENOMEM.value());
		assertThat(request.posted).isFalse();
		assertThat(this.seen).containsExactly(7L, 8L);
	}

	@Test
	void completionsAreRead() {
		this.driver.onPoll((queue, count, completions) -> {
			this.seen.add(queue);
			this.seen.add((long) count);
			for (int i = 0; i < 2; i++) {
				RawMemory.putBytes(completions + (long) i * WorkCompletionLayout.SIZE, completion(i));
			}
			return 2;
		});
		WorkCompletion[] completions = { new WorkCompletion(), new WorkCompletion(), new WorkCompletion() };
		assertThat(this.dataPath.pollCq(this.driver.queue(), completions)).isEqualTo(2);
		assertThat(this.seen).containsExactly(this.driver.queue(), 3L);
		for (int i = 0; i < 2; i++) {
			assertThat(completions[i]).usingRecursiveComparison().isEqualTo(expected(i));
		}
		assertThat(completions[2]).usingRecursiveComparison().isEqualTo(new WorkCompletion());
	}

	@Test
	void aCompletionOfASendHasNothingOfTheReceiveBeforeIt() {
		WorkCompletion[] completions = { expected(0) };
		this.driver.onPoll((queue, count, array) -> {
			RawMemory.putBytes(array, completion(0));
			RawMemory.putInt(array + WorkCompletionLayout.OPCODE, CompletionOpcode.SEND.value());
			return 1;
		});
		assertThat(this.dataPath.pollCq(this.driver.queue(), completions)).isEqualTo(1);
		assertThat(completions[0].opcode).isZero();
		assertThat(completions[0].flags).isZero();
		assertThat(completions[0].qpNum).isEqualTo(0xfffffe);
	}

	@Test
	void aPollThatFailsIsReported() {
		this.driver.onPoll((queue, count, completions) -> -1);
		assertThatExceptionOfType(RdmaException.class)
			.isThrownBy(() -> this.dataPath.pollCq(this.driver.queue(), new WorkCompletion[] { new WorkCompletion() }))
			.satisfies((ex) -> assertThat(ex.call()).isEqualTo("ibv_poll_cq"));
	}

	@Test
	void aQueueIsArmedForAllOrSolicitedCompletions() {
		this.driver.onArm((queue, solicitedOnly) -> {
			this.seen.add(queue);
			this.seen.add((long) solicitedOnly);
			return (solicitedOnly != 0) ? Errno.EINVAL.value() : 0;
		});
		assertThat(this.dataPath.reqNotifyCq(this.driver.queue(), false)).isZero();
		assertThat(this.dataPath.reqNotifyCq(this.driver.queue(), true)).isEqualTo(Errno.EINVAL.value());
		assertThat(this.seen).containsExactly(this.driver.queue(), 0L, this.driver.queue(), 1L);
	}

	@Test
	void virtualThreadsUseTheSameMemoryOneAfterTheOther() throws InterruptedException {
		Set<Long> memory = memoryOfThreads(20, (thread) -> true);
		assertThat(memory).as("a place for the refused request and one for completions").hasSize(2);
	}

	@Test
	void platformThreadsHaveMemoryOfTheirOwn() throws InterruptedException {
		assertThat(memoryOfThreads(20, VirtualThreads::isVirtual)).hasSizeGreaterThan(2);
	}

	// Return the addresses that threads, which make calls of all kinds, hand to the
	// driver.
	private Set<Long> memoryOfThreads(int count, Predicate<Thread> virtual) throws InterruptedException {
		Set<Long> memory = ConcurrentHashMap.newKeySet();
		FakeDriver.Post post = (queue, requests, bad) -> {
			memory.add(bad);
			return 0;
		};
		this.driver.onPost(ContextLayout.POST_SEND, post);
		this.driver.onPost(ContextLayout.POST_RECV, post);
		this.driver.onPoll((queue, entries, completions) -> {
			memory.add(completions);
			return -1;
		});
		this.driver.onArm((queue, solicitedOnly) -> 0);
		DataPath shared = new DataPath(CallPath.choose(), virtual);
		for (int i = 0; i < count; i++) {
			Thread thread = new Thread(() -> {
				shared.postSend(this.driver.queue(), sends(1));
				shared.postRecv(this.driver.queue(), new ReceiveWorkRequest(1));
				shared.reqNotifyCq(this.driver.queue(), false);
				assertThatExceptionOfType(RdmaException.class).isThrownBy(
						() -> shared.pollCq(this.driver.queue(), new WorkCompletion[] { new WorkCompletion() }));
			}, "poster");
			thread.start();
			thread.join();
		}
		return memory;
	}

	private static byte[] completion(int i) {
		try (NativeBlock block = new NativeBlock(WorkCompletionLayout.SIZE)) {
			block.putLong(WorkCompletionLayout.WR_ID, -1L - i)
				.putInt(WorkCompletionLayout.STATUS, 12)
				.putInt(WorkCompletionLayout.OPCODE, 128)
				.putInt(WorkCompletionLayout.VENDOR_ERROR, -3)
				.putInt(WorkCompletionLayout.BYTE_LENGTH, 4)
				.putInt(WorkCompletionLayout.IMM_DATA, NetworkOrder.convert(0x85000006))
				.putInt(WorkCompletionLayout.QP_NUM, 0xfffffe + i)
				.putInt(WorkCompletionLayout.SOURCE_QP, 8)
				.putInt(WorkCompletionLayout.FLAGS, 3)
				.putShort(WorkCompletionLayout.PKEY_INDEX, 0xfffe)
				.putShort(WorkCompletionLayout.SOURCE_LID, 0xfffd)
				.putByte(WorkCompletionLayout.SERVICE_LEVEL, 15)
				.putByte(WorkCompletionLayout.DESTINATION_PATH_BITS, 0xfc);
			return block.getBytes(0, WorkCompletionLayout.SIZE);
		}
	}

	private static WorkCompletion expected(int i) {
		WorkCompletion completion = new WorkCompletion();
		completion.wrId = -1L - i;
		completion.status = 12;
		completion.opcode = 128;
		completion.vendorError = -3;
		completion.byteLength = 4;
		completion.immediateData = 0x85000006;
		completion.qpNum = 0xfffffe + i;
		completion.sourceQp = 8;
		completion.flags = 3;
		completion.pkeyIndex = 0xfffe;
		completion.sourceLid = 0xfffd;
		completion.serviceLevel = 15;
		completion.destinationPathBits = 0xfc;
		return completion;
	}

	private static SendWorkRequest sends(int count) {
		SendWorkRequest first = null;
		for (int i = count - 1; i >= 0; i--) {
			SendWorkRequest request = new SendWorkRequest(1);
			request.wrId = i;
			request.next = first;
			first = request;
		}
		return first;
	}

}
