package io.github.rdmaboot.provider.jna;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.rdmaboot.provider.AsyncEventData;
import io.github.rdmaboot.provider.CmEventData;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.CmIdOption;
import io.github.rdmaboot.provider.ConnectionEce;
import io.github.rdmaboot.provider.DeviceAttributes;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.HandleList;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.PortState;
import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.TransportType;
import io.github.rdmaboot.provider.jna.NativePeers.Peer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Runs the calls of the CM and the devices against the kernel.
 */
class JnaRdmaProviderIT extends NativeFixture {

	@Test
	void bothSidesSeePrivateDataAndAddresses() {
		Peer[] pair = this.peers.connect();
		assertThat(pair[1].privateData()).hasSize(56).startsWith("request".getBytes(StandardCharsets.UTF_8));
		assertThat(pair[0].privateData()).hasSize(196).startsWith("reply".getBytes(StandardCharsets.UTF_8));
		InetSocketAddress listening = this.provider.rdmaGetLocalAddr(this.peers.listener());
		assertThat(this.provider.rdmaGetPeerAddr(pair[0].id())).isEqualTo(listening);
		assertThat(this.provider.rdmaGetDstPort(pair[0].id())).isEqualTo(listening.getPort());
		assertThat(this.provider.rdmaGetSrcPort(this.peers.listener())).isEqualTo(listening.getPort());
		assertThat(this.provider.rdmaGetLocalAddr(pair[1].id())).isEqualTo(listening);
		assertThat(this.provider.rdmaGetPeerAddr(pair[1].id())).isEqualTo(this.provider.rdmaGetLocalAddr(pair[0].id()));
		assertThat(this.provider.portNumOf(pair[0].id())).isEqualTo(1);
	}

	@Test
	void disconnectEndsBothSidesAndFlushesReceives() {
		Peer[] pair = this.peers.connect();
		pair[0].receive(9, 0, 16);
		this.provider.rdmaDisconnect(pair[0].id());
		assertThat(this.peers.awaitEvent(CmEventType.DISCONNECTED).status()).isZero();
		assertThat(pair[0].awaitCompletion().status).isEqualTo(5);
		assertThat(this.provider.ibvQueryQp(pair[0].qp(), QueuePairAttributes.STATE).state())
			.isEqualTo(QueuePairState.ERR);
	}

	@Test
	void completionChannelIsClosedWithoutItsDeviceAsWell() {
		this.peers.listen();
		long id = this.peers.resolve();
		Footprint before = Footprint.now();
		long channel = this.provider.ibvCreateCompChannel(this.provider.contextOf(id));
		assertThat(Footprint.now().files()).as("open files with the channel").isGreaterThan(before.files());
		this.provider.closeCompletionChannel(channel);
		before.awaitNothingMore(Duration.ofSeconds(10), "the close of the channel");
	}

	@Test
	void aRejectionBringsItsReasonPaddedByTheTransport() {
		this.peers.listen();
		long id = this.peers.resolve();
		Peer client = this.peers.prepare(id);
		client.startConnecting();
		CmEventData request = this.peers.awaitEvent(CmEventType.CONNECT_REQUEST);
		assertThat(request.listenId()).isEqualTo(this.peers.listener());
		this.provider.rdmaReject(request.id(), "not now".getBytes(StandardCharsets.UTF_8));
		this.peers.adopt(request.id());
		CmEventData rejected = this.peers.awaitEvent(CmEventType.REJECTED);
		assertThat(rejected.id()).isEqualTo(id);
		assertThat(rejected.status()).isEqualTo(28);
		assertThat(rejected.privateData()).hasSize(148).startsWith("not now".getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void aPortWhereNobodyListensRejects() {
		long id = this.peers.resolve(new InetSocketAddress(ADDRESS, 7999));
		this.peers.prepare(id).startConnecting();
		assertThat(this.peers.awaitEvent(CmEventType.REJECTED).status()).isEqualTo(8);
	}

	@Test
	void bindingReportsWhatIsWrongWithTheAddress() {
		long id = this.peers.createId();
		assertThatFailure(() -> this.provider.rdmaBindAddr(id, new InetSocketAddress("198.51.100.7", 0)))
			.isEqualTo("rdma_bind_addr EADDRNOTAVAIL");
		this.peers.listen();
		InetSocketAddress taken = this.provider.rdmaGetLocalAddr(this.peers.listener());
		assertThatFailure(() -> this.provider.rdmaBindAddr(id, taken)).isEqualTo("rdma_bind_addr EADDRINUSE");
		this.provider.rdmaBindAddr(id, new InetSocketAddress(ADDRESS, 0));
		assertThatFailure(() -> this.provider.rdmaBindAddr(id, new InetSocketAddress(ADDRESS, 0)))
			.isEqualTo("rdma_bind_addr EINVAL");
	}

	@Test
	void resolvingReportsWhatIsWrongWithTheDestination() {
		long unroutable = this.peers.createId();
		InetSocketAddress nowhere = new InetSocketAddress("203.0.113.9", 7000);
		assertThatFailure(() -> this.provider.rdmaResolveAddr(unroutable, null, nowhere, 1000))
			.isEqualTo("rdma_resolve_addr ENETUNREACH");
	}

	@Test
	void addressesOfANetworkDeviceWithoutRdmaHaveNoDevice() {
		SystemCommand.run("ip link add plain0 type dummy");
		try {
			SystemCommand.run("ip address add 198.51.100.1/24 dev plain0");
			SystemCommand.run("ip link set plain0 up");
			long bound = this.peers.createId();
			assertThatFailure(() -> this.provider.rdmaBindAddr(bound, new InetSocketAddress("198.51.100.1", 0)))
				.isEqualTo("rdma_bind_addr ENODEV");
			long resolving = this.peers.createId();
			this.provider.rdmaResolveAddr(resolving, null, new InetSocketAddress("198.51.100.9", 7000), 1000);
			assertThat(this.peers.awaitEvent(CmEventType.ADDR_ERROR).status()).isEqualTo(-Errno.ENODEV.value());
		}
		finally {
			SystemCommand.run("ip link delete plain0");
		}
	}

	@Test
	void aNeighbourThatDoesNotAnswerTimesOut() {
		SystemCommand.run("ip link set dummy0 arp on");
		try {
			long id = this.peers.createId();
			this.provider.rdmaResolveAddr(id, null, new InetSocketAddress("192.0.2.99", 7000), 300);
			assertThat(this.peers.awaitEvent(CmEventType.ADDR_ERROR).status()).isEqualTo(-Errno.ETIMEDOUT.value());
		}
		finally {
			SystemCommand.run("ip link set dummy0 arp off");
		}
	}

	@Test
	void asynchronousEventsAreFetchedWithoutWaiting() {
		long context = this.provider.contextOf(boundId());
		AsyncEventData leftOver = this.provider.ibvGetAsyncEvent(context);
		while (leftOver != null) {
			this.provider.ibvAckAsyncEvent(leftOver.event());
			leftOver = this.provider.ibvGetAsyncEvent(context);
		}
		SystemCommand.run("ip address add 192.0.2.77/32 dev dummy0");
		try {
			AsyncEventData event = Awaitility.await()
				.until(() -> this.provider.ibvGetAsyncEvent(context), Objects::nonNull);
			assertThat(this.provider.ibvEventTypeStr(event.type())).isEqualTo("GID table change");
			assertThat(event.element()).isEqualTo(1);
			this.provider.ibvAckAsyncEvent(event.event());
		}
		finally {
			SystemCommand.run("ip address delete 192.0.2.77/32 dev dummy0");
		}
	}

	@Test
	void ipv6AddressesAreBoundWithTheirScope() {
		SystemCommand.run("ip -6 address add fe80::77/64 dev dummy0 nodad");
		try {
			int scope = Integer.parseInt(SystemCommand.run("cat /sys/class/net/dummy0/ifindex").strip());
			Inet6Address address = linkLocal(scope);
			long id = this.peers.createId();
			Awaitility.await()
				.ignoreExceptionsMatching((ex) -> ex instanceof RdmaException)
				.until(() -> bind(id, new InetSocketAddress(address, 0)));
			InetSocketAddress bound = this.provider.rdmaGetLocalAddr(id);
			assertThat(bound.getAddress()).isEqualTo(address);
			assertThat(((Inet6Address) bound.getAddress()).getScopeId()).isEqualTo(scope);
			assertThat(bound.getPort()).isEqualTo(this.provider.rdmaGetSrcPort(id)).isPositive();
		}
		finally {
			SystemCommand.run("ip -6 address delete fe80::77/64 dev dummy0");
		}
	}

	@Test
	void optionsAreSetAndWrongOnesRefused() {
		long id = this.peers.createId();
		this.provider.rdmaSetOption(id, CmIdOption.TOS, 200);
		this.provider.rdmaSetOption(id, CmIdOption.REUSEADDR, 1);
		this.provider.rdmaSetOption(id, CmIdOption.AFONLY, 1);
		assertThatFailure(() -> this.provider.rdmaSetOption(id, CmIdOption.TOS, 256))
			.isEqualTo("rdma_set_option EINVAL");
	}

	@Test
	void aWakerEndsAWait() throws Exception {
		long channel = this.peers.channel();
		long waker = this.provider.createWaker();
		CompletableFuture<Boolean> waiter = CompletableFuture
			.supplyAsync(() -> this.provider.awaitCmEvent(channel, waker, 60_000));
		this.provider.wake(waker);
		assertThat(waiter.get(30, TimeUnit.SECONDS)).isFalse();
		this.provider.wake(waker);
		this.provider.wake(waker);
		assertThat(this.provider.awaitCmEvent(channel, waker, 60_000)).isFalse();
		long begin = System.nanoTime();
		assertThat(this.provider.awaitCmEvent(channel, waker, 50)).isFalse();
		assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(49));
		this.provider.destroyWaker(waker);
	}

	@Test
	void destroyWaitsForTheAcknowledgementOfAFetchedEvent() throws Exception {
		long id = this.peers.createId();
		this.provider.rdmaResolveAddr(id, null, new InetSocketAddress(ADDRESS, 7000), 2000);
		CmEventData event = this.peers.fetchEvent();
		CompletableFuture<Void> destroyed = CompletableFuture.runAsync(() -> this.provider.rdmaDestroyId(id));
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> destroyed.get(500, TimeUnit.MILLISECONDS));
		this.provider.rdmaAckCmEvent(event.event());
		destroyed.get(30, TimeUnit.SECONDS);
		this.peers.forget(id);
	}

	@Test
	void objectsInUseAreNotDestroyed() {
		Peer[] pair = this.peers.connect();
		assertThatFailure(() -> this.provider.ibvDeallocPd(pair[0].pd())).isEqualTo("ibv_dealloc_pd EBUSY");
		assertThatFailure(() -> this.provider.ibvDestroyCq(pair[0].cq())).isEqualTo("ibv_destroy_cq EBUSY");
		assertThatFailure(() -> this.provider.ibvDestroyCompChannel(pair[0].completionChannel()))
			.isEqualTo("ibv_destroy_comp_channel EBUSY");
	}

	@Test
	void devicesAreListedAndQueried() {
		assertThat(this.provider.describeDevices()).singleElement().satisfies((device) -> {
			assertThat(device.name()).isEqualTo("rxe0");
			assertThat(device.nodeType()).isEqualTo("CA");
			assertThat(device.ports()).singleElement().satisfies((port) -> {
				assertThat(port.state()).isEqualTo("ACTIVE");
				assertThat(port.linkLayer()).isEqualTo("Ethernet");
				assertThat(port.networkDevices()).containsExactly("dummy0");
			});
		});
		HandleList devices = this.provider.ibvGetDeviceList();
		assertThat(devices.handles()).hasSize(1);
		assertThat(this.provider.ibvGetDeviceName(devices.handles()[0])).isEqualTo("rxe0");
		long context = this.provider.ibvOpenDevice(devices.handles()[0]);
		assertThat(this.provider.deviceOf(context)).isEqualTo(devices.handles()[0]);
		assertThat(this.provider.transportTypeOf(devices.handles()[0])).isEqualTo(TransportType.IB.value());
		DeviceAttributes attributes = this.provider.ibvQueryDevice(context);
		assertThat(attributes.nodeGuid()).isEqualTo(this.provider.ibvGetDeviceGuid(devices.handles()[0]));
		assertThat(attributes.physicalPorts()).isEqualTo(1);
		assertThat(attributes.maxSge()).isBetween(1, 1024);
		assertThat(this.provider.ibvQueryPort(context, 1).state()).isEqualTo(PortState.ACTIVE.value());
		assertThatFailure(() -> this.provider.ibvQueryPort(context, 2)).isEqualTo("ibv_query_port EINVAL");
		assertThatFailure(() -> this.provider.ibvQueryPort(context, 257)).isEqualTo("ibv_query_port EINVAL");
		byte[] gid = this.provider.ibvQueryGid(context, 1, 1);
		assertThat(Arrays.copyOfRange(gid, 10, 16)).containsExactly(0xff, 0xff, 192, 0, 2, 1);
		assertThat(this.provider.ibvQueryPkey(context, 1, 0)).isEqualTo(0xffff);
		assertThat(this.provider.ibvGetAsyncEvent(context)).isNull();
		this.provider.ibvCloseDevice(context);
		this.provider.ibvFreeDeviceList(devices);
		HandleList contexts = this.provider.rdmaGetDevices();
		assertThat(contexts.handles()).hasSize(1);
		this.provider.rdmaFreeDevices(contexts);
	}

	@Test
	void namesAreTranslated() {
		assertThat(this.provider.rdmaGetaddrinfo(ADDRESS, "7471", 0, PortSpace.TCP)).first()
			.satisfies((info) -> assertThat(info.destination()).isEqualTo(new InetSocketAddress(ADDRESS, 7471)));
		assertThatExceptionOfType(RdmaException.class)
			.isThrownBy(() -> this.provider.rdmaGetaddrinfo("no such host", "7471", 2, PortSpace.TCP))
			.withMessageContaining("name service code");
	}

	@Test
	void textsComeFromTheLibrary() {
		assertThat(this.provider.rdmaEventStr(9)).isEqualTo("RDMA_CM_EVENT_ESTABLISHED");
		assertThat(this.provider.ibvWcStatusStr(5)).isEqualTo("Work Request Flushed Error");
		assertThat(this.provider.ibvPortStateStr(4)).isEqualTo("active");
		assertThat(this.provider.ibvNodeTypeStr(1)).isNotEmpty();
		assertThat(this.provider.ibvEventTypeStr(8)).isNotEmpty();
		assertThat(this.provider.ibvIsForkInitialized()).isNotNull();
	}

	@Test
	void aQueuePairThatTheCallerManagesIsConnectedByHand() {
		this.peers.listen();
		long id = this.peers.resolve();
		assertThat(this.provider.rdmaInitQpAttr(id, QueuePairState.INIT).mask() & QueuePairAttributes.STATE)
			.isEqualTo(QueuePairAttributes.STATE);
		this.provider.rdmaSetLocalEce(id, new ConnectionEce(0x2c9, 1));
		assertThatFailure(() -> this.provider.rdmaSetLocalEce(id, new ConnectionEce(0, 0)))
			.isEqualTo("rdma_set_local_ece EINVAL");
		assertThat(this.provider.rdmaGetRemoteEce(id)).isEqualTo(new ConnectionEce(0, 0));
	}

	@Test
	void anIdMovesToAnotherChannel() {
		long id = this.peers.createId();
		long other = this.provider.rdmaCreateEventChannel();
		this.provider.rdmaMigrateId(id, other);
		this.provider.rdmaResolveAddr(id, null, new InetSocketAddress(ADDRESS, 7000), 2000);
		long waker = this.provider.createWaker();
		assertThat(this.provider.awaitCmEvent(other, waker, 30_000)).isTrue();
		CmEventData event = this.provider.rdmaGetCmEvent(other);
		assertThat(event.id()).isEqualTo(id);
		this.provider.rdmaAckCmEvent(event.event());
		this.provider.destroyWaker(waker);
		this.provider.rdmaDestroyId(id);
		this.peers.forget(id);
		this.provider.rdmaDestroyEventChannel(other);
	}

	private long boundId() {
		long id = this.peers.createId();
		this.provider.rdmaBindAddr(id, new InetSocketAddress(ADDRESS, 0));
		return id;
	}

	private boolean bind(long id, InetSocketAddress address) {
		this.provider.rdmaBindAddr(id, address);
		return true;
	}

	private static Inet6Address linkLocal(int scope) {
		byte[] bytes = new byte[16];
		bytes[0] = (byte) 0xfe;
		bytes[1] = (byte) 0x80;
		bytes[15] = 0x77;
		try {
			return Inet6Address.getByAddress(null, bytes, scope);
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
