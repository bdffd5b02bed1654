package io.github.rdmaboot.endpoint;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of a message in fragments one of which the device does not take.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedFragmentTests {

	private static final int RECEIVES = 4;

	private static final MemorySettings MEMORY = new MemorySettings(1024, RECEIVES,
			new MessageSettings(OversizedMessages.FRAGMENT, 100_000, FlowControl.CREDITS));

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	private final CountDownLatch registration = new CountDownLatch(1);

	private final AtomicInteger untilRefusal = new AtomicInteger(Integer.MAX_VALUE);

	private final AtomicInteger postedAfterwards = new AtomicInteger();

	private final Semaphore read = new Semaphore(0);

	private final List<Integer> received = new CopyOnWriteArrayList<>();

	private volatile Thread registering;

	private ConnectedPair pair;

	private void connect(WhenFull whenFull) throws Exception {
		QueuePairSettings queuePair = new QueuePairSettings(16, 16, 4, 1, 64, whenFull, Duration.ofSeconds(20), 64);
		this.pair = ConnectedPair.connect(this::provider, "192.0.2.1", queuePair, ConnectedPair.CONNECTION, MEMORY,
				MEMORY, CompletionSettings.defaults());
		this.pair.onMessageOfServer((connection, message) -> {
			this.received.add(message.remaining());
			this.read.acquireUninterruptibly();
		});
	}

	@AfterEach
	void close() {
		this.registration.countDown();
		this.read.release(1000);
		this.pair.close();
	}

	private RdmaProvider provider() {
		LoopbackRdmaProvider target = new LoopbackRdmaProvider(this.fabric);
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("ibvPostSend")
							&& isRefused(((SendWorkRequest) arguments[1]).sgeCount > 0)) {
						return Errno.EIO.value();
					}
					if (method.getName().equals("ibvRegMr") && Thread.currentThread() == this.registering) {
						this.registration.await();
					}
					try {
						return method.invoke(target, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	// Those of grants, which have no content, do not count.
	private boolean isRefused(boolean counts) {
		if (!counts || this.untilRefusal.get() == Integer.MAX_VALUE) {
			return false;
		}
		int left = this.untilRefusal.decrementAndGet();
		if (left < 0) {
			this.postedAfterwards.incrementAndGet();
		}
		return left == 0;
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3 })
	void oneThatWasParkedEndsTheConnectionAndFailsEveryWaiterOnce(int refused) throws Exception {
		connect(WhenFull.PARK);
		for (int i = 0; i < RECEIVES - 1; i++) {
			this.pair.client().send(ByteBuffer.allocate(1)).get(10, TimeUnit.SECONDS);
		}
		List<RuntimeException> ofMessage = new CopyOnWriteArrayList<>();
		List<RuntimeException> ofNext = new CopyOnWriteArrayList<>();
		this.pair.client().send(ByteBuffer.allocate(3000), ofMessage::add);
		this.pair.client().send(ByteBuffer.allocate(7), ofNext::add);
		this.untilRefusal.set(refused);

		this.read.release(RECEIVES);
		await().until(() -> !this.pair.client().isOpen() && !this.pair.server().isOpen());
		this.pair.client().close().get(20, TimeUnit.SECONDS);
		await().until(() -> !ofMessage.isEmpty() && !ofNext.isEmpty());
		this.pair.close();

		assertThat(ofMessage).singleElement().satisfies((error) -> assertThat(error).hasStackTraceContaining("EIO"));
		assertThat(ofNext).singleElement()
			.satisfies((error) -> assertThat(error).isInstanceOf(ConnectionClosedException.class)
				.hasMessageContaining("A message in fragments was broken off, for one could not be sent: "
						+ "ibv_post_send failed with EIO"));
		assertThat(this.postedAfterwards).as("posts behind the one that was refused").hasValue(0);
		assertThat(this.received).as("lengths of the messages that arrived").containsOnly(1);
	}

	@Test
	void oneThatIsRefusedAtOnceEndsTheConnection() throws Exception {
		connect(WhenFull.WAIT);
		this.untilRefusal.set(2);
		List<RuntimeException> told = new CopyOnWriteArrayList<>();

		ByteBuffer message = ByteBuffer.allocate(3000);
		assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> this.pair.client().send(message, told::add))
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EIO.value()));
		assertThat(message.remaining()).as("bytes to send over another connection").isEqualTo(3000);
		await().until(() -> !this.pair.client().isOpen() && !this.pair.server().isOpen());
		this.pair.client().close().get(10, TimeUnit.SECONDS);

		assertThatExceptionOfType(ConnectionClosedException.class)
			.isThrownBy(() -> this.pair.client().send(ByteBuffer.allocate(1)))
			.withMessageContaining("A message in fragments was broken off");
		this.pair.close();
		assertThat(told).as("outcomes of a message that threw").isEmpty();
		assertThat(this.received).isEmpty();
	}

	// The destroy waits for the registration, and closes the gate for posts after it.
	@Test
	void nothingIsPostedBehindOneThatIsRefusedAtOnce() throws Exception {
		connect(WhenFull.WAIT);
		RdmaOperations operations = this.pair.client().operations();
		Thread registering = new Thread(() -> this.pair.client().memory().allocate(1, RemoteAccess.READ));
		this.registering = registering;
		registering.start();
		await().until(() -> registering.getState() == Thread.State.WAITING);
		this.untilRefusal.set(2);

		assertThatExceptionOfType(RdmaException.class)
			.isThrownBy(() -> this.pair.client().send(ByteBuffer.allocate(3000)));
		assertThatExceptionOfType(ConnectionClosedException.class)
			.isThrownBy(() -> operations.sendInline(ByteBuffer.allocate(1), new OperationFuture()))
			.withMessageContaining("A message in fragments was broken off");

		this.registration.countDown();
		registering.join();
		this.pair.close();
		assertThat(this.postedAfterwards).as("posts behind the one that was refused").hasValue(0);
		assertThat(this.received).as("lengths of the messages that arrived").isEmpty();
	}

	@Test
	void firstOneThatIsRefusedAtOnceLeavesTheConnectionAsItWas() throws Exception {
		connect(WhenFull.WAIT);
		this.read.release(10);
		this.untilRefusal.set(1);

		assertThatExceptionOfType(RdmaException.class)
			.isThrownBy(() -> this.pair.client().send(ByteBuffer.allocate(3000)));
		this.pair.client().send(ByteBuffer.allocate(3000)).get(10, TimeUnit.SECONDS);

		await().until(() -> this.received.equals(List.of(3000)));
		assertThat(this.pair.client().isOpen()).isTrue();
	}

}
