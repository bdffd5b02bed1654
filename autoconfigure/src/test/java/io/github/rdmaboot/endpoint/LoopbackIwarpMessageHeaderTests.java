package io.github.rdmaboot.endpoint;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Headers of messages on a device without immediate data.
 */
class LoopbackIwarpMessageHeaderTests extends MessageHeaderContract {

	private final LoopbackFabric fabric = LoopbackFabrics.withoutImmediateData("192.0.2.1");

	@Override
	RdmaProvider openProvider() {
		return new LoopbackRdmaProvider(this.fabric);
	}

	@Override
	boolean hasImmediateData() {
		return false;
	}

	// A device may read the header of a message as late as it likes before the
	// completion.
	@Test
	void aGrantHasItsHeaderWhereNoMessageHasOne() throws Exception {
		Set<Long> ofGrants = ConcurrentHashMap.newKeySet();
		Set<Long> ofMessages = ConcurrentHashMap.newKeySet();
		int sends = 4;
		MemorySettings memory = new MemorySettings(1024, 16, CREDITS);
		try (ConnectedPair pair = ConnectedPair.connect(() -> recordingHeaders(ofGrants, ofMessages), "192.0.2.1",
				new QueuePairSettings(sends, 16, 1, 1, 0), NO_RETRY, memory, memory, CompletionSettings.defaults())) {
			pair.onMessageOfServer((connection, message) -> this.received.incrementAndGet());
			await().atMost(PATIENCE).until(() -> ofGrants.size() == 2);
			RegisteredMemory local = pair.client().memory().allocate(64, RemoteAccess.READ);
			WorkBatch batch = pair.client().operations().batch(sends);
			for (int i = 0; i < sends; i++) {
				batch.send(local, 0, 8);
			}
			get(batch.post(new OperationFuture()));
			await().atMost(PATIENCE).until(() -> this.received.get() == sends);
		}
		assertThat(ofMessages).as("headers of messages in all places of a send queue").hasSize(sends);
		assertThat(ofGrants).as("headers of grants").hasSize(2).doesNotContainAnyElementsOf(ofMessages);
	}

	private RdmaProvider recordingHeaders(Set<Long> ofGrants, Set<Long> ofMessages) {
		RdmaProvider target = openProvider();
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("ibvPostSend")) {
						for (SendWorkRequest each = (SendWorkRequest) arguments[1]; each != null; each = each.next) {
							boolean grant = (each.wrId & CreditGrants.WR_ID_GRANTS) != 0;
							(grant ? ofGrants : ofMessages).add(each.addresses[0]);
						}
					}
					try {
						return method.invoke(target, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

}
