package io.github.rdmaboot.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.OrderedCalls;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.QueuePairType;
import io.github.rdmaboot.provider.RdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a CM id does when it is destroyed in any state of its life, and what its peer sees
 * of it, on any provider.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class CmIdDestroyContract {

	private static final ConnectionParameters PARAMETERS = new ConnectionParameters(new byte[0], 1, 1, false, 6, 7,
			false, 0);

	private static final Duration LIMIT = Duration.ofSeconds(10);

	private final List<OwnedCmId> orphans = new ArrayList<>();

	private final List<Side> sides = new ArrayList<>();

	private RdmaProvider provider;

	private EventChannel channel;

	private String before;

	/**
	 * Open a provider.
	 * @return the provider
	 */
	abstract RdmaProvider openProvider();

	/**
	 * Return an address of this host that has an RDMA device.
	 * @return the address
	 */
	abstract String localAddress();

	/**
	 * Return what the provider counts of native objects, to compare.
	 * @return the counts
	 */
	abstract String nativeObjects();

	// Check the order of the native calls, where they are recorded.
	void checkOrder() {
	}

	@BeforeEach
	void open() {
		this.before = nativeObjects();
		this.provider = OrderedCalls.check(openProvider(), CallOrder.ofIds(false));
		this.channel = EventChannel.open(this.provider, "rdma-cm-test", this.orphans::add);
	}

	@AfterEach
	void nothingIsLeft() {
		this.sides.forEach(Side::destroy);
		assertThat(this.channel.attachedIds()).isZero();
		this.channel.close(Duration.ofSeconds(10));
		this.provider.close();
		checkOrder();
		assertThat(this.orphans).isEmpty();
		assertThat(nativeObjects()).isEqualTo(this.before);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = { "DEVICE_REMOVED", "DESTROYING", "LEAKED" })
	void itIsDestroyedAtOnceAndItsPeerLearnsOfIt(CmIdState state) throws Exception {
		Side side = inState(state);
		boolean live = side.id.state().isLive();
		assertThat(live).isEqualTo(state != CmIdState.NONE);
		long begin = System.nanoTime();
		assertThat(side.destroy()).isEqualTo(live);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("time of the destroy in state %s", state)
			.isLessThan(LIMIT);
		assertThat(side.id.state()).isEqualTo(CmIdState.NONE);
		assertThat(side.id.deliveredEvents()).isEqualTo(side.id.acknowledgedEvents());
		assertThat(side.destroy()).as("second destroy").isFalse();
		CmEventType seen = seenByPeer(state);
		if (seen != null) {
			Side peer = (side == this.sides.get(1)) ? this.sides.get(2) : this.sides.get(1);
			assertThat(peer.next().type()).as("what the peer sees of a destroy in state %s", state).isEqualTo(seen);
		}
	}

	private static CmEventType seenByPeer(CmIdState state) {
		return switch (state) {
			case REQUESTED -> CmEventType.REJECTED;
			case ESTABLISHED -> CmEventType.DISCONNECTED;
			default -> null;
		};
	}

	// The first side is the listener, the second connects, the third was requested.
	private Side inState(CmIdState state) throws Exception {
		Side listener = new Side("listener");
		Side client = new Side("client");
		switch (state) {
			case NONE -> {
				return client;
			}
			case IDLE -> {
				return client.create();
			}
			case BOUND -> {
				client.create().id.bind(new InetSocketAddress(localAddress(), 0));
				return client;
			}
			default -> {
			}
		}
		listener.create().id.bind(new InetSocketAddress(localAddress(), 0));
		listener.id.listen(4);
		InetSocketAddress address = listener.id.localAddress();
		if (state == CmIdState.LISTENING) {
			return listener;
		}
		client.create().id.resolveAddr(null, address, 2000);
		if (state == CmIdState.RESOLVING_ADDRESS) {
			return client;
		}
		client.expect(CmEventType.ADDR_RESOLVED);
		if (state == CmIdState.ADDRESS_RESOLVED) {
			return client;
		}
		client.id.resolveRoute(2000);
		if (state == CmIdState.RESOLVING_ROUTE) {
			return client;
		}
		client.expect(CmEventType.ROUTE_RESOLVED);
		if (state == CmIdState.ROUTE_RESOLVED) {
			return client;
		}
		client.createQueuePair();
		client.id.connect(PARAMETERS);
		Side child = new Side(listener.expect(CmEventType.CONNECT_REQUEST).child());
		return switch (state) {
			case CONNECTING -> client;
			case REQUESTED -> child;
			case FAILED -> {
				child.id.reject(new byte[0]);
				client.expect(CmEventType.REJECTED);
				yield client;
			}
			default -> accepted(state, client, child);
		};
	}

	private static Side accepted(CmIdState state, Side client, Side child) throws Exception {
		child.createQueuePair();
		child.id.accept(PARAMETERS);
		if (state == CmIdState.ACCEPTING) {
			return child;
		}
		client.expect(CmEventType.ESTABLISHED);
		child.expect(CmEventType.ESTABLISHED);
		switch (state) {
			case DISCONNECTING -> client.id.disconnect();
			case DISCONNECTED -> {
				child.id.disconnect();
				client.expect(CmEventType.DISCONNECTED);
			}
			default -> {
			}
		}
		assertThat(client.id.state()).isEqualTo(state);
		return client;
	}

	/**
	 * CM id with its queue pair and what belongs to that.
	 */
	private final class Side {

		private final OwnedCmId id;

		private final BlockingQueue<CmEvent> events = new LinkedBlockingQueue<>();

		private long pd;

		private long cq;

		private Side(String name) {
			this(new OwnedCmId(name));
		}

		private Side(OwnedCmId id) {
			this.id = id;
			CmIdDestroyContract.this.sides.add(this);
			if (id.state() == CmIdState.REQUESTED) {
				id.handleEvents((from, event) -> this.events.add(event));
			}
		}

		private Side create() {
			this.id.create(CmIdDestroyContract.this.channel, PortSpace.TCP, (from, event) -> this.events.add(event));
			return this;
		}

		private void createQueuePair() {
			RdmaProvider provider = CmIdDestroyContract.this.provider;
			this.pd = provider.ibvAllocPd(this.id.deviceContext());
			this.cq = provider.ibvCreateCq(this.id.deviceContext(), 4, 0, 0);
			this.id.createQueuePair(this.pd, new QueuePairInit(this.cq, this.cq, 0,
					new QueuePairCapabilities(1, 1, 1, 1, 0), QueuePairType.RC, true));
		}

		private CmEvent next() throws InterruptedException {
			CmEvent event = this.events.poll(30, TimeUnit.SECONDS);
			assertThat(event).as("next event of '%s'", this.id.name()).isNotNull();
			return event;
		}

		private CmEvent expect(CmEventType type) throws InterruptedException {
			CmEvent event = next();
			assertThat(event.type()).as("event of '%s'", this.id.name()).isEqualTo(type);
			return event;
		}

		private boolean destroy() {
			if (this.pd == 0) {
				return this.id.destroy();
			}
			RdmaProvider provider = CmIdDestroyContract.this.provider;
			this.id.destroyQueuePair();
			provider.ibvDestroyCq(this.cq);
			provider.ibvDeallocPd(this.pd);
			this.pd = 0;
			return this.id.destroy();
		}

	}

}
