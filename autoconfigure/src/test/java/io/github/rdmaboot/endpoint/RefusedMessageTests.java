package io.github.rdmaboot.endpoint;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of the credits of messages that the device does not take.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedMessageTests {

	private static final int RECEIVES = 8;

	/** More often than there are credits. */
	private static final int TIMES = 5 * RECEIVES;

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	private volatile boolean refusing;

	private ConnectedPair pair;

	@BeforeEach
	void connect() throws Exception {
		MemorySettings memory = new MemorySettings(1024, RECEIVES,
				new MessageSettings(OversizedMessages.REJECT, 100_000, FlowControl.CREDITS));
		QueuePairSettings queuePair = new QueuePairSettings(16, 16, 1, 1, 0, WhenFull.WAIT, Duration.ofSeconds(5), 1);
		this.pair = ConnectedPair.connect(this::provider, "192.0.2.1", queuePair, ConnectedPair.CONNECTION, memory,
				memory, CompletionSettings.defaults());
	}

	@AfterEach
	void close() {
		this.pair.close();
	}

	// One that may refuse messages, but never what only grants credits.
	private RdmaProvider provider() {
		LoopbackRdmaProvider target = new LoopbackRdmaProvider(this.fabric);
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, (proxy, method, arguments) -> {
					if (this.refusing && method.getName().equals("ibvPostSend")
							&& (((SendWorkRequest) arguments[1]).wrId & SendQueue.WR_ID_SENDS) != 0) {
						return Errno.EINVAL.value();
					}
					try {
						return method.invoke(target, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	private void sendInVain() {
		this.refusing = true;
		assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> this.pair.client().send(ByteBuffer.allocate(1)))
			.satisfies((ex) -> assertThat(ex.errno()).as(ex.getMessage()).isEqualTo(Errno.EINVAL.value()));
		this.refusing = false;
	}

	@Test
	void messageThatIsRefusedTakesNoCredit() throws Exception {
		for (int i = 0; i < TIMES; i++) {
			sendInVain();
		}
		this.pair.client().send(ByteBuffer.allocate(3)).get(10, TimeUnit.SECONDS);
		assertThat(this.pair.server().receive().get(10, TimeUnit.SECONDS)).hasSize(3);
	}

	@Test
	void whatAMessageThatIsRefusedWasToGrantIsGrantedLater() throws Exception {
		AtomicInteger received = new AtomicInteger();
		this.pair.onMessageOfClient((connection, message) -> received.incrementAndGet());
		for (int i = 1; i <= TIMES; i++) {
			this.pair.server().send(ByteBuffer.allocate(1)).get(10, TimeUnit.SECONDS);
			int count = i;
			await().until(() -> received.get() == count);
			sendInVain();
		}
		assertThat(this.pair.client().isOpen()).isTrue();
	}

}
