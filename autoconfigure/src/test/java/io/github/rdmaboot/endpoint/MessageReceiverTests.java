package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.StepOutcome;
import io.github.rdmaboot.provider.OrderedCalls;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.DeviceLease;
import io.github.rdmaboot.verbs.Devices;
import io.github.rdmaboot.verbs.MemoryBlock;
import io.github.rdmaboot.verbs.MemoryPoolLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of messages when handing them on fails, and when they arrive while their
 * connection is destroyed.
 */
@Timeout(value = 40, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MessageReceiverTests {

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	private final OutstandingRequests outstanding = new OutstandingRequests();

	private final List<Integer> reposted = new ArrayList<>();

	private ConnectedPair pair;

	private DeviceLease device;

	private MemoryBlock memory;

	@BeforeEach
	void connect() throws Exception {
		this.pair = ConnectedPair.connect(() -> new LoopbackRdmaProvider(this.fabric), "192.0.2.1");
		RdmaProvider provider = OrderedCalls.check(new LoopbackRdmaProvider(this.fabric));
		this.device = new Devices(provider, "test", new MemoryPoolLimits(4096, 4096, 64))
			.acquire(provider.rdmaGetDevices().handles()[0]);
		this.memory = this.device.device().memoryPool().allocate(2 * 64);
	}

	@AfterEach
	void close() {
		this.device.release();
		this.pair.close();
	}

	private ReceiveBuffers buffers() {
		return new ReceiveBuffers(this.memory, 64, HeaderForm.NONE, 2, (request) -> {
			this.reposted.add((int) request.wrId);
			return 0;
		}, this.outstanding, true);
	}

	private static WorkCompletion completion(int length) {
		WorkCompletion completion = new WorkCompletion();
		completion.byteLength = length;
		return completion;
	}

	@Test
	void messageThatCouldNotBeHandedOnEndsItsConnection() throws Exception {
		this.pair.onMessageOfServer((connection, message) -> {
			throw new Unprintable();
		});
		this.pair.client().send(ByteBuffer.wrap(new byte[] { 1 }));
		await().until(() -> !this.pair.server().isOpen());
		assertThat(this.pair.server().close().get(20, TimeUnit.SECONDS)).satisfies((report) -> {
			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
			assertThat(report.steps()).as("a drain waits for a handler until it expires: %s", report.toLine())
				.noneMatch((step) -> step.outcome() == StepOutcome.EXPIRED);
		});
		assertThat(this.pair.server().receive()).failsWithin(Duration.ofSeconds(10));
	}

	@Test
	void receiveIsOutstandingUntilItsMessageIsWhereADestroyLooksForIt() {
		List<Integer> outstandingWhenHandedOn = new ArrayList<>();
		MessageReceiver receiver = new MessageReceiver(buffers(), () -> {
		}, new EndpointStatistics(), (task) -> outstandingWhenHandedOn.add(this.outstanding.count()),
				() -> (connection, message) -> {
				}, this.pair.server(), MessageSettings.defaults(), HeaderForm.NONE, null);
		this.outstanding.posted();
		receiver.received(0, completion(1));
		assertThat(outstandingWhenHandedOn).as("receives outstanding").containsExactly(1);
		assertThat(this.outstanding.count()).isZero();
	}

	@Test
	void bufferThatWasGivenBackIsNotReadAndIsThereForOthers() {
		MessageReceiver receiver = new MessageReceiver(buffers(), () -> this.memory.memory().put(0, (byte) 9),
				new EndpointStatistics(), Runnable::run, () -> null, this.pair.server(), MessageSettings.defaults(),
				HeaderForm.NONE, null);
		this.memory.memory().put(0, (byte) 7);
		this.outstanding.posted();
		this.outstanding.posted();
		receiver.received(0, completion(1));
		receiver.letGoOfMemory();
		receiver.received(1, completion(1));
		receiver.close(() -> new ConnectionClosedException("closed", null));
		assertThat(receiver.receive()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(new byte[] { 7 });
		assertThat(receiver.receive()).failsWithin(Duration.ofSeconds(10));
		assertThat(this.reposted).containsExactly(0, 1);
	}

	@Test
	void aPartThatArrivesWhileOthersArePutTogetherIsNoMessage() throws Exception {
		BlockingQueue<Integer> free = new LinkedBlockingQueue<>(List.of(0, 1));
		ReceiveBuffers buffers = new ReceiveBuffers(this.memory, 64, HeaderForm.NONE, 2, (request) -> {
			free.add((int) request.wrId);
			return 0;
		}, this.outstanding, false);
		ArrivedMessages arrived = new ArrivedMessages(this.pair.server(), buffers, new MessageFragments(1000), null);
		CompletableFuture<Void> arriving = CompletableFuture.runAsync(() -> {
			for (int i = 0; i < 300_000; i++) {
				arrived.put(takeFrom(free), 0, false, MessageHeader.MORE);
			}
		});
		int messages = 0;
		while (!arriving.isDone()) {
			messages += arrived.isMessageThere() ? 1 : 0;
		}
		arriving.get();
		assertThat(messages).as("times that a part was taken for a message").isZero();
		arrived.put(takeFrom(free), 5, false, 0);
		assertThat(arrived.isMessageThere()).as("the whole message is there").isTrue();
		assertThat(arrived.takeCopy().bytes()).hasSize(5);
	}

	private static int takeFrom(BlockingQueue<Integer> slots) {
		try {
			return slots.take();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Exception whose text cannot be had, so that not even a log line can be written.
	 */
	private static final class Unprintable extends RuntimeException {

		@Override
		public String getMessage() {
			throw new IllegalStateException("no text");
		}

	}

}
