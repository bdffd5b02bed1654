package io.github.rdmaboot.endpoint;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What other threads send while a message goes out in fragments.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FragmentOrderTests {

	private static final int BUFFER_SIZE = 1024;

	private static final MemorySettings MEMORY = new MemorySettings(BUFFER_SIZE, 8,
			new MessageSettings(OversizedMessages.FRAGMENT, 100_000));

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	private final List<Integer> received = new CopyOnWriteArrayList<>();

	private final AtomicReference<Runnable> behindFirstFragment = new AtomicReference<>();

	private ConnectedPair pair;

	@BeforeEach
	void connect() throws Exception {
		this.pair = ConnectedPair.connect(this::provider, "192.0.2.1", ConnectedPair.QUEUE_PAIR,
				ConnectedPair.CONNECTION, MEMORY, MEMORY, CompletionSettings.defaults());
		this.pair.onMessageOfServer((connection, message) -> this.received.add(message.remaining()));
	}

	@AfterEach
	void close() {
		this.pair.close();
	}

	private RdmaProvider provider() {
		LoopbackRdmaProvider target = new LoopbackRdmaProvider(this.fabric);
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, (proxy, method, arguments) -> {
					try {
						Object result = method.invoke(target, arguments);
						Runnable task = method.getName().equals("ibvPostSend")
								? this.behindFirstFragment.getAndSet(null) : null;
						if (task != null) {
							task.run();
						}
						return result;
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	@ParameterizedTest
	@EnumSource
	void doesNotGetBetweenThem(Operation operation) throws Exception {
		RdmaConnection connection = this.pair.client();
		PooledBuffer memory = connection.memory().allocate(BUFFER_SIZE);
		Thread other = new Thread(() -> operation.post(connection.operations(), memory), "other-sender");
		this.behindFirstFragment.set(() -> {
			other.start();
			await().until(() -> other.getState() != Thread.State.NEW && other.getState() != Thread.State.RUNNABLE);
		});
		connection.send(ByteBuffer.allocate(3 * BUFFER_SIZE)).get(20, TimeUnit.SECONDS);
		other.join();
		await().untilAsserted(() -> assertThat(this.received).as("lengths of the messages that arrived")
			.containsExactly(3 * BUFFER_SIZE, 7));
	}

	private enum Operation {

		SEND {
			@Override
			void post(RdmaOperations operations, RdmaMemory memory) {
				operations.send(memory, 0, 7, new OperationFuture()).join();
			}
		},

		SEND_RANGES {
			@Override
			void post(RdmaOperations operations, RdmaMemory memory) {
				operations.send(new MemoryRanges(2).add(memory, 0, 3).add(memory, 5, 4), new OperationFuture()).join();
			}
		},

		SEND_INLINE {
			@Override
			void post(RdmaOperations operations, RdmaMemory memory) {
				operations.sendInline(ByteBuffer.allocate(7), new OperationFuture()).join();
			}
		},

		BATCH {
			@Override
			void post(RdmaOperations operations, RdmaMemory memory) {
				operations.batch(1).send(memory, 0, 7).post(new OperationFuture()).join();
			}
		};

		abstract void post(RdmaOperations operations, RdmaMemory memory);

	}

}
