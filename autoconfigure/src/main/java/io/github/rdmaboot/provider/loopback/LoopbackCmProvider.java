package io.github.rdmaboot.provider.loopback;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.CmEventData;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.CmIdOption;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.CreatedQueuePair;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;

/**
 * The calls of librdmacm on the loopback, and those of the operating system with which
 * their events are waited for: finds the objects behind the handles and holds the
 * fabric's lock while the rules are applied.
 */
abstract class LoopbackCmProvider extends LoopbackCmServiceProvider implements RdmaProvider {

	LoopbackCmProvider(LoopbackFabric fabric) {
		super(fabric);
	}

	private EventChannel channel(String call, long handle) {
		return get(call, handle, EventChannel.class);
	}

	@Override
	public long rdmaCreateEventChannel() {
		try (FabricLock ignored = hold()) {
			if (!fabric().isDevicePresent()) {
				throw new RdmaException("rdma_create_event_channel", Errno.ENODEV.value());
			}
			return process().handles().add(new EventChannel(process()));
		}
	}

	@Override
	public void rdmaDestroyEventChannel(long channel) {
		try (FabricLock ignored = hold()) {
			CmTeardown.destroyChannel(channel("rdma_destroy_event_channel", channel));
			process().handles().remove(channel);
		}
	}

	@Override
	public long rdmaCreateId(long channel, PortSpace portSpace) {
		try (FabricLock ignored = hold()) {
			return process().newId(channel("rdma_create_id", channel), portSpace).handle;
		}
	}

	@Override
	public void rdmaDestroyId(long id) {
		try (FabricLock ignored = hold()) {
			CmTeardown.destroy(id("rdma_destroy_id", id));
		}
	}

	@Override
	public void rdmaBindAddr(long id, InetSocketAddress address) {
		try (FabricLock ignored = hold()) {
			CmAddressing.bind("rdma_bind_addr", id("rdma_bind_addr", id), address);
		}
	}

	@Override
	public void rdmaResolveAddr(long id, @Nullable InetSocketAddress source, InetSocketAddress destination,
			int timeoutMillis) {
		try (FabricLock ignored = hold()) {
			CmAddressing.resolve(id("rdma_resolve_addr", id), source, destination, timeoutMillis);
		}
	}

	@Override
	public void rdmaResolveRoute(long id, int timeoutMillis) {
		try (FabricLock ignored = hold()) {
			CmAddressing.resolveRoute(id("rdma_resolve_route", id), timeoutMillis);
		}
	}

	@Override
	public CreatedQueuePair rdmaCreateQp(long id, long pd, QueuePairInit init) {
		try (FabricLock ignored = hold()) {
			return QueuePairs.createFor("rdma_create_qp", id("rdma_create_qp", id), pd, init);
		}
	}

	@Override
	public CreatedQueuePair rdmaCreateQpEx(long id, long pd, QueuePairInit init, int createFlags) {
		try (FabricLock ignored = hold()) {
			if (createFlags != 0) {
				throw new RdmaException("rdma_create_qp_ex", Errno.EOPNOTSUPP.value());
			}
			return QueuePairs.createFor("rdma_create_qp_ex", id("rdma_create_qp_ex", id), pd, init);
		}
	}

	@Override
	public void rdmaDestroyQp(long id) {
		try (FabricLock ignored = hold()) {
			LoopbackQp qp = id("rdma_destroy_qp", id).qp;
			if (qp == null) {
				throw new IllegalStateException("rdma_destroy_qp was called for an id without a queue pair: "
						+ "in C this is a null pointer and crashes the process");
			}
			qp.destroy();
		}
	}

	@Override
	public void rdmaConnect(long id, ConnectionParameters parameters) {
		try (FabricLock ignored = hold()) {
			LoopbackCmId connecting = id("rdma_connect", id);
			if (connecting.isDatagram()) {
				DatagramHandshake.connect(connecting, parameters);
			}
			else {
				CmHandshake.connect(connecting, parameters);
			}
		}
	}

	@Override
	public void rdmaEstablish(long id) {
		try (FabricLock ignored = hold()) {
			CmHandshake.establish(id("rdma_establish", id));
		}
	}

	@Override
	public void rdmaListen(long id, int backlog) {
		try (FabricLock ignored = hold()) {
			CmAddressing.listen(id("rdma_listen", id), backlog);
		}
	}

	@Override
	public void rdmaAccept(long id, ConnectionParameters parameters) {
		try (FabricLock ignored = hold()) {
			LoopbackCmId child = id("rdma_accept", id);
			if (child.isDatagram()) {
				DatagramHandshake.accept(child, parameters);
			}
			else {
				CmHandshake.accept(child, parameters);
			}
		}
	}

	@Override
	public void rdmaReject(long id, byte[] privateData) {
		reject("rdma_reject", id, CmHandshake.CONSUMER_DEFINED, privateData);
	}

	@Override
	public void rdmaRejectEce(long id, byte[] privateData) {
		reject("rdma_reject_ece", id, CmHandshake.VENDOR_OPTION_NOT_SUPPORTED, privateData);
	}

	private void reject(String call, long id, int reason, byte[] privateData) {
		try (FabricLock ignored = hold()) {
			LoopbackCmId child = id(call, id);
			if (child.isDatagram()) {
				DatagramHandshake.reject(child, privateData);
			}
			else {
				CmHandshake.reject(child, reason, privateData.clone());
			}
		}
	}

	@Override
	public void rdmaNotify(long id, int asyncEventType) {
		try (FabricLock ignored = hold()) {
			CmHandshake.notify(id("rdma_notify", id), asyncEventType);
		}
	}

	@Override
	public void rdmaDisconnect(long id) {
		try (FabricLock ignored = hold()) {
			CmTeardown.disconnect(id("rdma_disconnect", id));
		}
	}

	@Override
	public @Nullable CmEventData rdmaGetCmEvent(long channel) {
		try (FabricLock ignored = hold()) {
			return CmEvents.fetch(channel("rdma_get_cm_event", channel));
		}
	}

	@Override
	public void rdmaAckCmEvent(long event) {
		try (FabricLock ignored = hold()) {
			CmEvents.acknowledge(process(), event);
		}
	}

	@Override
	public int rdmaGetSrcPort(long id) {
		InetSocketAddress local = rdmaGetLocalAddr(id);
		return (local != null) ? local.getPort() : 0;
	}

	@Override
	public int rdmaGetDstPort(long id) {
		InetSocketAddress peer = rdmaGetPeerAddr(id);
		return (peer != null) ? peer.getPort() : 0;
	}

	@Override
	public @Nullable InetSocketAddress rdmaGetLocalAddr(long id) {
		try (FabricLock ignored = hold()) {
			LoopbackCmId asked = id("rdma_get_local_addr", id);
			return asked.addressUnreported ? null : asked.local;
		}
	}

	@Override
	public @Nullable InetSocketAddress rdmaGetPeerAddr(long id) {
		try (FabricLock ignored = hold()) {
			return id("rdma_get_peer_addr", id).peer;
		}
	}

	@Override
	public long contextOf(long id) {
		try (FabricLock ignored = hold()) {
			DeviceContext device = id("contextOf", id).device;
			return (device != null) ? device.handle : 0;
		}
	}

	@Override
	public int portNumOf(long id) {
		return (contextOf(id) != 0) ? 1 : 0;
	}

	@Override
	public String rdmaEventStr(int eventType) {
		CmEventType type = CmEventType.of(eventType);
		return (type != null) ? "RDMA_CM_EVENT_" + type.name() : "UNKNOWN EVENT";
	}

	@Override
	public void rdmaSetOption(long id, CmIdOption option, int value) {
		try (FabricLock ignored = hold()) {
			CmAddressing.setOption(id("rdma_set_option", id), option, value);
		}
	}

	@Override
	public void rdmaMigrateId(long id, long channel) {
		try (FabricLock ignored = hold()) {
			CmTeardown.migrate(id("rdma_migrate_id", id), channel("rdma_migrate_id", channel));
		}
	}

	@Override
	public QueuePairAttributes rdmaInitQpAttr(long id, QueuePairState state) {
		try (FabricLock ignored = hold()) {
			return InitialAttributes.of(id("rdma_init_qp_attr", id), state);
		}
	}

	@Override
	public long createWaker() {
		try (FabricLock ignored = hold()) {
			return process().handles().add(new Waker(fabric().lock().newCondition()));
		}
	}

	@Override
	public void wake(long waker) {
		try (FabricLock ignored = hold()) {
			get("wake", waker, Waker.class).wake();
		}
	}

	@Override
	public void destroyWaker(long waker) {
		try (FabricLock ignored = hold()) {
			get("destroyWaker", waker, Waker.class);
			process().handles().remove(waker);
		}
	}

	@Override
	public boolean awaitCmEvent(long channel, long waker, int timeoutMillis) {
		return await(channel, EventChannel.class, waker, timeoutMillis);
	}

	@Override
	public boolean awaitCqEvent(long completionChannel, long waker, int timeoutMillis) {
		return await(completionChannel, CompletionChannel.class, waker, timeoutMillis);
	}

	/**
	 * Release everything that was created through this provider, as the kernel does when
	 * a process exits: peers see their connections end.
	 */
	@Override
	public void close() {
		try (FabricLock ignored = hold()) {
			process().exit();
		}
	}

	private boolean await(long source, Class<? extends EventSource> type, long waker, int timeoutMillis) {
		try (FabricLock ignored = hold()) {
			return get("poll", source, type).await(fabric().timer(), get("poll", waker, Waker.class),
					TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
		}
	}

}
