package io.github.rdmaboot.provider.jna;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.rdmaboot.provider.AccessFlag;
import io.github.rdmaboot.provider.CmEventData;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.CmIdOption;
import io.github.rdmaboot.provider.ConnectionEce;
import io.github.rdmaboot.provider.DeviceAttributes;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.HandleList;
import io.github.rdmaboot.provider.MemoryRegionData;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.PortState;
import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.SendFlag;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import io.github.rdmaboot.provider.jna.NativePeers.Peer;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Runs the provider against the kernel's RDMA stack.
 */
@Timeout(120)
class JnaRdmaProviderIT {

	private static final String ADDRESS = "192.0.2.1";

	private JnaRdmaProvider provider;

	private NativePeers peers;

	private String objectsBefore;

	@BeforeEach
	void open() {
		this.objectsBefore = KernelObjects.counts();
		this.provider = JnaRdmaProvider.open();
		this.peers = new NativePeers(this.provider, ADDRESS);
	}

	@AfterEach
	void everyKernelObjectIsGone() {
		this.peers.close();
		this.provider.close();
		assertThat(KernelObjects.counts()).isEqualTo(this.objectsBefore);
	}

	@Test
	void messagesGoBothWays() {
		Peer[] pair = this.peers.connect();
		Peer client = pair[0];
		Peer server = pair[1];
		server.receive(1, 0, 64);
		client.receive(2, 0, 64);
		client.put(128, "to the server");
		assertThat(client.send(3, WorkRequestOpcode.SEND, 128, 13, 0)).isZero();
		WorkCompletion received = server.awaitCompletion();
		assertThat(received.status).isZero();
		assertThat(received.wrId).isEqualTo(1);
		assertThat(received.byteLength).isEqualTo(13);
		assertThat(received.qpNum).isEqualTo(server.qpNum());
		assertThat(server.get(0, 13)).isEqualTo("to the server");
		assertThat(client.awaitCompletion().wrId).isEqualTo(3);
		server.put(128, "and back");
		assertThat(server.send(4, WorkRequestOpcode.SEND, 128, 8, 0)).isZero();
		assertThat(client.awaitCompletion().wrId).isEqualTo(2);
		assertThat(client.get(0, 8)).isEqualTo("and back");
		assertThat(server.awaitCompletion().wrId).isEqualTo(4);
	}

	@Test
	void immediateDataArrivesInHostOrder() {
		Peer[] pair = this.peers.connect();
		pair[1].receive(1, 0, 64);
		SendWorkRequest request = pair[0].request(2, WorkRequestOpcode.SEND_WITH_IMM, 0, 4);
		request.immediateData = 0x01020304;
		assertThat(this.provider.ibvPostSend(pair[0].qp(), request)).isZero();
		WorkCompletion received = pair[1].awaitCompletion();
		assertThat(received.immediateData).isEqualTo(0x01020304);
		assertThat(received.flags & 2).isEqualTo(2);
		pair[0].awaitCompletion();
	}

	@Test
	void memoryOfThePeerIsWrittenReadAndChangedAtomically() {
		Peer[] pair = this.peers.connect();
		Peer client = pair[0];
		Peer server = pair[1];
		client.put(0, "written");
		assertThat(client.remote(1, WorkRequestOpcode.RDMA_WRITE, 0, 7, server, 256)).isZero();
		assertThat(client.awaitCompletion().status).isZero();
		assertThat(server.get(256, 7)).isEqualTo("written");
		assertThat(client.remote(2, WorkRequestOpcode.RDMA_READ, 64, 7, server, 256)).isZero();
		assertThat(client.awaitCompletion().status).isZero();
		assertThat(client.get(64, 7)).isEqualTo("written");
		server.memory().putLong(512, 40);
		SendWorkRequest add = client.request(3, WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, 128, 8);
		client.aim(add, server, 512);
		add.compareAdd = 2;
		assertThat(this.provider.ibvPostSend(client.qp(), add)).isZero();
		assertThat(client.awaitCompletion().status).isZero();
		assertThat(client.memory().getLong(128)).isEqualTo(40);
		SendWorkRequest swap = client.request(4, WorkRequestOpcode.ATOMIC_CMP_AND_SWP, 128, 8);
		client.aim(swap, server, 512);
		swap.compareAdd = 42;
		swap.swap = 7;
		assertThat(this.provider.ibvPostSend(client.qp(), swap)).isZero();
		assertThat(client.awaitCompletion().status).isZero();
		assertThat(client.memory().getLong(128)).isEqualTo(42);
		assertThat(server.memory().getLong(512)).isEqualTo(7);
	}

	@Test
	void aListIsPostedUpToTheFirstRequestThatTheQueueCannotTake() {
		Peer[] pair = this.peers.connect();
		Peer client = pair[0];
		SendWorkRequest first = client.request(1, WorkRequestOpcode.RDMA_WRITE, 0, 4);
		client.aim(first, pair[1], 0);
		SendWorkRequest bad = new SendWorkRequest(64);
		bad.wrId = 2;
		bad.sgeCount = 64;
		bad.opcode = WorkRequestOpcode.RDMA_WRITE.value();
		first.next = bad;
		assertThat(this.provider.ibvPostSend(client.qp(), first)).isEqualTo(Errno.EINVAL.value());
		assertThat(first.posted).isTrue();
		assertThat(bad.posted).isFalse();
		assertThat(client.awaitCompletion().wrId).isEqualTo(1);
	}

	@Test
	void aLongListIsPostedAtOnce() {
		Peer[] pair = this.peers.connect();
		SendWorkRequest first = pair[0].request(0, WorkRequestOpcode.RDMA_WRITE, 0, 8);
		SendWorkRequest last = first;
		pair[0].aim(first, pair[1], 0);
		for (int i = 1; i < 60; i++) {
			SendWorkRequest request = pair[0].request(i, WorkRequestOpcode.RDMA_WRITE, 8 * i, 8);
			pair[0].aim(request, pair[1], 8 * i);
			pair[0].memory().putLong(8 * i, i);
			last.next = request;
			last = request;
		}
		assertThat(this.provider.ibvPostSend(pair[0].qp(), first)).isZero();
		for (int i = 0; i < 60; i++) {
			assertThat(pair[0].awaitCompletion().wrId).isEqualTo(i);
		}
		assertThat(pair[1].memory().getLong(8 * 59)).isEqualTo(59);
	}

	@Test
	void inlineDataNeedsNoRegisteredMemory() {
		Peer[] pair = this.peers.connect();
		pair[1].receive(1, 0, 64);
		ByteBuffer unregistered = ByteBuffer.allocateDirect(16).put("inline".getBytes(StandardCharsets.UTF_8));
		SendWorkRequest request = pair[0].request(2, WorkRequestOpcode.SEND, 0, 6);
		request.addresses[0] = CallBlock.addressOf(unregistered);
		request.lkeys[0] = 0;
		request.flags |= SendFlag.INLINE.value();
		assertThat(this.provider.ibvPostSend(pair[0].qp(), request)).isZero();
		pair[1].awaitCompletion();
		assertThat(pair[1].get(0, 6)).isEqualTo("inline");
		pair[0].awaitCompletion();
	}

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
		assertThatFailure(
				() -> this.provider.rdmaResolveAddr(unroutable, null, new InetSocketAddress("203.0.113.9", 7000), 1000))
			.isEqualTo("rdma_resolve_addr ENETUNREACH");
		long silent = this.peers.createId();
		this.provider.rdmaResolveAddr(silent, null, new InetSocketAddress("127.0.0.1", 7000), 500);
		CmEventData event = this.peers.awaitAnyEvent();
		assertThat(event.id()).isEqualTo(silent);
		assertThat(CmEventType.of(event.type())).isIn(CmEventType.ADDR_ERROR, CmEventType.ADDR_RESOLVED);
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
	void completionsAnnounceThemselvesOnTheirChannel() {
		Peer[] pair = this.peers.connect();
		long waker = this.provider.createWaker();
		this.provider.ibvReqNotifyCq(pair[1].cq(), false);
		assertThat(this.provider.ibvGetCqEvent(pair[1].completionChannel())).isZero();
		pair[1].receive(1, 0, 16);
		pair[0].send(2, WorkRequestOpcode.SEND, 0, 4, SendFlag.SIGNALED.value());
		assertThat(this.provider.awaitCqEvent(pair[1].completionChannel(), waker, 30_000)).isTrue();
		assertThat(this.provider.ibvGetCqEvent(pair[1].completionChannel())).isEqualTo(pair[1].cq());
		this.provider.ibvAckCqEvents(pair[1].cq(), 1);
		assertThat(pair[1].awaitCompletion().wrId).isEqualTo(1);
		pair[0].awaitCompletion();
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
	void memoryIsRegisteredFromPositionToLimit() {
		Peer[] pair = this.peers.connect();
		ByteBuffer memory = ByteBuffer.allocateDirect(8192);
		memory.position(100).limit(4196);
		MemoryRegionData region = this.provider.ibvRegMr(pair[0].pd(), memory,
				AccessFlag.LOCAL_WRITE.value() | AccessFlag.RELAXED_ORDERING.value());
		assertThat(region.length()).isEqualTo(4096);
		assertThat(region.address()).isEqualTo(CallBlock.addressOf(memory) + 100);
		this.provider.ibvDeregMr(region.mr());
		assertThatFailure(() -> this.provider.ibvRegMr(pair[0].pd(), memory, AccessFlag.REMOTE_WRITE.value()))
			.isEqualTo("ibv_reg_mr EINVAL");
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

	@Test
	void datagramsReachTheAddressThatTheEventBrought() {
		this.peers.useDatagrams();
		Peer[] pair = this.peers.connectDatagrams();
		CmEventData established = pair[0].established();
		assertThat(established.qpNum()).isEqualTo(pair[1].qpNum());
		assertThat(established.address()).isNotNull();
		long ah = this.provider.ibvCreateAh(pair[0].pd(), established.address());
		pair[1].receive(1, 0, 256);
		pair[0].put(0, "datagram");
		SendWorkRequest request = pair[0].request(2, WorkRequestOpcode.SEND_WITH_IMM, 0, 8);
		request.ah = ah;
		request.remoteQpNum = established.qpNum();
		request.remoteQkey = established.qkey();
		request.immediateData = pair[0].qpNum();
		assertThat(this.provider.ibvPostSend(pair[0].qp(), request)).isZero();
		WorkCompletion received = pair[1].awaitCompletion();
		assertThat(received.byteLength).isEqualTo(48);
		assertThat(received.immediateData).isEqualTo(pair[0].qpNum());
		assertThat(received.sourceQp).isEqualTo(pair[0].qpNum());
		assertThat(pair[1].get(40, 8)).isEqualTo("datagram");
		assertThat(pair[0].awaitCompletion().status).isZero();
		pair[1].memory().position(0);
		long answer = this.provider.ibvCreateAhFromWc(pair[1].pd(), received, pair[1].memory(), 1);
		this.provider.ibvDestroyAh(answer);
		this.provider.ibvDestroyAh(ah);
	}

	private static AbstractStringAssert<?> assertThatFailure(Runnable call) {
		try {
			call.run();
		}
		catch (RdmaException ex) {
			return assertThat(ex.call() + " " + Errno.symbol(ex.errno()));
		}
		return assertThat("no failure");
	}

}
