package io.github.rdmaboot.provider.jna;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.AccessFlag;
import io.github.rdmaboot.provider.CmEventData;
import io.github.rdmaboot.provider.CmEventStatus;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.MemoryRegionData;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.QueuePairType;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.provider.SendFlag;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.provider.WorkRequestOpcode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A listener and connections to it within one process, destroyed in order when closed.
 */
class NativePeers {

	private static final int TIMEOUT_MILLIS = 5000;

	private static final int ROOM = 4096;

	private final RdmaProvider provider;

	private final String address;

	private final long channel;

	private final long waker;

	private final List<Peer> peers = new ArrayList<>();

	private final Set<Long> ids = new HashSet<>();

	private PortSpace portSpace = PortSpace.TCP;

	private long listener;

	NativePeers(RdmaProvider provider, String address) {
		this.provider = provider;
		this.address = address;
		this.channel = provider.rdmaCreateEventChannel();
		this.waker = provider.createWaker();
	}

	long channel() {
		return this.channel;
	}

	long listener() {
		return this.listener;
	}

	void useDatagrams() {
		this.portSpace = PortSpace.UDP;
	}

	long createId() {
		long id = this.provider.rdmaCreateId(this.channel, this.portSpace);
		this.ids.add(id);
		return id;
	}

	void forget(long id) {
		this.ids.remove(id);
	}

	void adopt(long id) {
		this.ids.add(id);
	}

	void listen() {
		this.listener = createId();
		this.provider.rdmaBindAddr(this.listener, new InetSocketAddress(this.address, 0));
		this.provider.rdmaListen(this.listener, 16);
	}

	long resolve() {
		InetSocketAddress destination = this.provider.rdmaGetLocalAddr(this.listener);
		assertThat(destination).isNotNull();
		return resolve(destination);
	}

	long resolve(InetSocketAddress destination) {
		long id = createId();
		this.provider.rdmaResolveAddr(id, null, destination, TIMEOUT_MILLIS);
		awaitEvent(CmEventType.ADDR_RESOLVED);
		this.provider.rdmaResolveRoute(id, TIMEOUT_MILLIS);
		awaitEvent(CmEventType.ROUTE_RESOLVED);
		return id;
	}

	Peer prepare(long id) {
		Peer peer = new Peer(id);
		this.peers.add(peer);
		return peer;
	}

	/**
	 * Connect a client to a new listener.
	 * @return the client and the server
	 */
	Peer[] connect() {
		listen();
		Peer client = prepare(resolve());
		client.startConnecting();
		CmEventData request = awaitEvent(CmEventType.CONNECT_REQUEST);
		adopt(request.id());
		Peer server = prepare(request.id());
		server.privateData = request.privateData();
		this.provider.rdmaAccept(server.id, parameters("reply"));
		for (int i = 0; i < 2; i++) {
			CmEventData established = awaitEvent(CmEventType.ESTABLISHED);
			if (established.id() == client.id) {
				client.privateData = established.privateData();
				client.established = established;
			}
		}
		return new Peer[] { client, server };
	}

	/**
	 * Exchange the addresses of a client and a new listener for datagrams.
	 * @return the client and the server
	 */
	Peer[] connectDatagrams() {
		listen();
		Peer client = prepare(resolve());
		client.startConnecting();
		CmEventData request = awaitEvent(CmEventType.CONNECT_REQUEST);
		adopt(request.id());
		Peer server = prepare(request.id());
		this.provider.rdmaAccept(server.id,
				new ConnectionParameters(new byte[0], 0, 0, false, 0, 0, false, server.qpNum));
		client.established = awaitEvent(CmEventType.ESTABLISHED);
		return new Peer[] { client, server };
	}

	CmEventData awaitEvent(CmEventType type) {
		CmEventData event = awaitAnyEvent();
		assertThat(CmEventType.of(event.type()))
			.as("event of status %s", CmEventStatus.describe(event.type(), event.status()))
			.isEqualTo(type);
		return event;
	}

	CmEventData awaitAnyEvent() {
		CmEventData event = fetchEvent();
		this.provider.rdmaAckCmEvent(event.event());
		return event;
	}

	/**
	 * Await an event that the caller acknowledges.
	 * @return the event
	 */
	CmEventData fetchEvent() {
		assertThat(this.provider.awaitCmEvent(this.channel, this.waker, 30_000)).as("an event comes").isTrue();
		CmEventData event = this.provider.rdmaGetCmEvent(this.channel);
		assertThat(event).isNotNull();
		return event;
	}

	private static ConnectionParameters parameters(String text) {
		return new ConnectionParameters(text.getBytes(StandardCharsets.UTF_8), 1, 1, false, 7, 7, false, 0);
	}

	void close() {
		this.peers.forEach(Peer::close);
		this.ids.forEach(this.provider::rdmaDestroyId);
		this.provider.rdmaDestroyEventChannel(this.channel);
		this.provider.destroyWaker(this.waker);
	}

	/**
	 * One side of a connection with memory, completion queue and queue pair.
	 */
	class Peer {

		private final RdmaProvider provider = NativePeers.this.provider;

		private final ByteBuffer memory = ByteBuffer.allocateDirect(ROOM).order(ByteOrder.nativeOrder());

		private final WorkCompletion[] completions = { new WorkCompletion() };

		private final long id;

		private final long pd;

		private final MemoryRegionData region;

		private final long completionChannel;

		private final long cq;

		private final long qp;

		private final int qpNum;

		private byte[] privateData = {};

		private CmEventData established;

		Peer(long id) {
			this.id = id;
			long context = this.provider.contextOf(id);
			assertThat(context).isNotZero();
			this.pd = this.provider.ibvAllocPd(context);
			this.region = this.provider.ibvRegMr(this.pd, this.memory,
					AccessFlag.LOCAL_WRITE.value() | AccessFlag.REMOTE_WRITE.value() | AccessFlag.REMOTE_READ.value()
							| AccessFlag.REMOTE_ATOMIC.value());
			this.completionChannel = this.provider.ibvCreateCompChannel(context);
			this.cq = this.provider.ibvCreateCq(context, 256, this.completionChannel, 0);
			QueuePairType type = (NativePeers.this.portSpace == PortSpace.UDP) ? QueuePairType.UD : QueuePairType.RC;
			var created = this.provider.rdmaCreateQp(id, this.pd,
					new QueuePairInit(this.cq, this.cq, 0, new QueuePairCapabilities(64, 64, 2, 2, 16), type, false));
			this.qp = created.qp();
			this.qpNum = created.qpNum();
			assertThat(created.capabilities().maxSendWr()).isGreaterThanOrEqualTo(64);
			assertThat(created.capabilities().maxInlineData()).isGreaterThanOrEqualTo(16);
		}

		void startConnecting() {
			this.provider.rdmaConnect(this.id, parameters("request"));
		}

		void receive(long wrId, int offset, int length) {
			ReceiveWorkRequest request = new ReceiveWorkRequest(1);
			request.wrId = wrId;
			request.addresses[0] = this.region.address() + offset;
			request.lengths[0] = length;
			request.lkeys[0] = this.region.lkey();
			request.sgeCount = 1;
			assertThat(this.provider.ibvPostRecv(this.qp, request)).isZero();
			assertThat(request.posted).isTrue();
		}

		SendWorkRequest request(long wrId, WorkRequestOpcode opcode, int offset, int length) {
			SendWorkRequest request = new SendWorkRequest(1);
			request.wrId = wrId;
			request.opcode = opcode.value();
			request.flags = SendFlag.SIGNALED.value();
			request.addresses[0] = this.region.address() + offset;
			request.lengths[0] = length;
			request.lkeys[0] = this.region.lkey();
			request.sgeCount = 1;
			return request;
		}

		int send(long wrId, WorkRequestOpcode opcode, int offset, int length, int moreFlags) {
			SendWorkRequest request = request(wrId, opcode, offset, length);
			request.flags |= moreFlags;
			int errno = this.provider.ibvPostSend(this.qp, request);
			assertThat(request.posted).isEqualTo(errno == 0);
			return errno;
		}

		int remote(long wrId, WorkRequestOpcode opcode, int offset, int length, Peer target, int targetOffset) {
			SendWorkRequest request = request(wrId, opcode, offset, length);
			aim(request, target, targetOffset);
			return this.provider.ibvPostSend(this.qp, request);
		}

		void aim(SendWorkRequest request, Peer target, int offset) {
			request.remoteAddress = target.region.address() + offset;
			request.rkey = target.region.rkey();
		}

		WorkCompletion awaitCompletion() {
			long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
			while (this.provider.ibvPollCq(this.cq, this.completions) == 0) {
				assertThat(System.nanoTime()).as("a completion comes").isLessThan(deadline);
				Thread.onSpinWait();
			}
			WorkCompletion completion = this.completions[0];
			this.completions[0] = new WorkCompletion();
			return completion;
		}

		void put(int offset, String text) {
			this.memory.put(offset, text.getBytes(StandardCharsets.UTF_8));
		}

		String get(int offset, int length) {
			byte[] bytes = new byte[length];
			this.memory.get(offset, bytes);
			return new String(bytes, StandardCharsets.UTF_8);
		}

		ByteBuffer memory() {
			return this.memory;
		}

		long id() {
			return this.id;
		}

		long pd() {
			return this.pd;
		}

		long cq() {
			return this.cq;
		}

		long completionChannel() {
			return this.completionChannel;
		}

		long qp() {
			return this.qp;
		}

		int qpNum() {
			return this.qpNum;
		}

		byte[] privateData() {
			return this.privateData;
		}

		/**
		 * The event that told this side of the connection.
		 * @return the event
		 */
		CmEventData established() {
			return this.established;
		}

		private void close() {
			this.provider.rdmaDestroyQp(this.id);
			this.provider.ibvDestroyCq(this.cq);
			this.provider.ibvDestroyCompChannel(this.completionChannel);
			this.provider.ibvDeregMr(this.region.mr());
			this.provider.ibvDeallocPd(this.pd);
		}

	}

}
