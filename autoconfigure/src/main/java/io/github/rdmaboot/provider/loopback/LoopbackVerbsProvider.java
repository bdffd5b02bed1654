package io.github.rdmaboot.provider.loopback;

import java.net.InetAddress;
import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.AddressHandleAttributes;
import io.github.rdmaboot.provider.AsyncEventData;
import io.github.rdmaboot.provider.CreatedQueuePair;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.MemoryRegionData;
import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;
import org.jspecify.annotations.Nullable;

/**
 * The calls of libibverbs on the loopback: finds the objects behind the handles and holds
 * the fabric's lock while the rules are applied.
 */
abstract class LoopbackVerbsProvider extends LoopbackDeviceProvider {

	LoopbackVerbsProvider(LoopbackFabric fabric) {
		super(fabric);
	}

	@Override
	public long ibvAllocPd(long context) {
		try (FabricLock ignored = hold()) {
			return process().handles().add(new LoopbackPd(present("ibv_alloc_pd", context)));
		}
	}

	@Override
	public void ibvDeallocPd(long pd) {
		try (FabricLock ignored = hold()) {
			get("ibv_dealloc_pd", pd, LoopbackPd.class).requireUnused();
			process().handles().remove(pd);
		}
	}

	@Override
	public MemoryRegionData ibvRegMr(long pd, ByteBuffer memory, int accessFlags) {
		try (FabricLock ignored = hold()) {
			LoopbackPd domain = get("ibv_reg_mr", pd, LoopbackPd.class);
			domain.device().requirePresent("ibv_reg_mr");
			LoopbackMr mr = fabric().memory().register(domain, memory, accessFlags);
			return new MemoryRegionData(process().handles().add(mr), mr.address(), mr.memory().capacity(), mr.key(),
					mr.key());
		}
	}

	@Override
	public void ibvDeregMr(long mr) {
		try (FabricLock ignored = hold()) {
			fabric().memory().remove(get("ibv_dereg_mr", mr, LoopbackMr.class));
			process().handles().remove(mr);
		}
	}

	@Override
	public long ibvCreateCompChannel(long context) {
		try (FabricLock ignored = hold()) {
			present("ibv_create_comp_channel", context);
			return process().handles().add(new CompletionChannel());
		}
	}

	@Override
	public void ibvDestroyCompChannel(long completionChannel) {
		try (FabricLock ignored = hold()) {
			get("ibv_destroy_comp_channel", completionChannel, CompletionChannel.class).requireUnused();
			process().handles().remove(completionChannel);
		}
	}

	@Override
	public void closeCompletionChannel(long completionChannel) {
		ibvDestroyCompChannel(completionChannel);
	}

	@Override
	public long ibvCreateCq(long context, int entries, long completionChannel, int completionVector) {
		try (FabricLock ignored = hold()) {
			DeviceContext device = present("ibv_create_cq", context);
			if (entries < 1 || entries > DeviceLimits.MAX_CQE || completionVector != 0) {
				throw new RdmaException("ibv_create_cq", Errno.EINVAL.value());
			}
			CompletionChannel channel = (completionChannel != 0)
					? get("ibv_create_cq", completionChannel, CompletionChannel.class) : null;
			LoopbackCq cq = new LoopbackCq(device, entries, channel);
			cq.handle = process().handles().add(cq);
			return cq.handle;
		}
	}

	@Override
	public void ibvDestroyCq(long cq) {
		try (FabricLock ignored = hold()) {
			get("ibv_destroy_cq", cq, LoopbackCq.class).destroy();
			process().handles().remove(cq);
		}
	}

	@Override
	public long ibvGetCqEvent(long completionChannel) {
		try (FabricLock ignored = hold()) {
			LoopbackCq cq = get("ibv_get_cq_event", completionChannel, CompletionChannel.class).next();
			return (cq != null) ? cq.handle : 0;
		}
	}

	@Override
	public void ibvAckCqEvents(long cq, int events) {
		try (FabricLock ignored = hold()) {
			get("ibv_ack_cq_events", cq, LoopbackCq.class).events().acknowledged(events);
		}
	}

	@Override
	public void ibvReqNotifyCq(long cq, boolean solicitedOnly) {
		try (FabricLock ignored = hold()) {
			get("ibv_req_notify_cq", cq, LoopbackCq.class).requestNotification(solicitedOnly);
		}
	}

	@Override
	public int ibvPollCq(long cq, WorkCompletion[] completions) {
		try (FabricLock ignored = hold()) {
			return get("ibv_poll_cq", cq, LoopbackCq.class).poll(completions);
		}
	}

	@Override
	public CreatedQueuePair ibvCreateQp(long pd, QueuePairInit init) {
		try (FabricLock ignored = hold()) {
			return QueuePairs.create("ibv_create_qp", process(), pd, init);
		}
	}

	@Override
	public void ibvModifyQp(long qp, QueuePairAttributes attributes) {
		try (FabricLock ignored = hold()) {
			QueuePairs.modify(get("ibv_modify_qp", qp, LoopbackQp.class), attributes);
		}
	}

	@Override
	public QueuePairAttributes ibvQueryQp(long qp, int mask) {
		try (FabricLock ignored = hold()) {
			return QueuePairs.describe(get("ibv_query_qp", qp, LoopbackQp.class), mask);
		}
	}

	@Override
	public void ibvDestroyQp(long qp) {
		try (FabricLock ignored = hold()) {
			get("ibv_destroy_qp", qp, LoopbackQp.class).destroy();
		}
	}

	@Override
	public int ibvPostSend(long qp, SendWorkRequest first) {
		try (FabricLock ignored = hold()) {
			return SendPosting.post(process(), get("ibv_post_send", qp, LoopbackQp.class), first);
		}
	}

	@Override
	public int ibvPostRecv(long qp, ReceiveWorkRequest first) {
		try (FabricLock ignored = hold()) {
			return get("ibv_post_recv", qp, LoopbackQp.class).postReceives(first);
		}
	}

	@Override
	public long ibvCreateSrq(long pd, int maxWr, int maxSge) {
		try (FabricLock ignored = hold()) {
			LoopbackPd domain = get("ibv_create_srq", pd, LoopbackPd.class);
			domain.device().requirePresent("ibv_create_srq");
			LoopbackSrq srq = new LoopbackSrq(domain, maxWr, maxSge);
			srq.handle = process().handles().add(srq);
			return srq.handle;
		}
	}

	@Override
	public void ibvDestroySrq(long srq) {
		try (FabricLock ignored = hold()) {
			get("ibv_destroy_srq", srq, LoopbackSrq.class).destroy();
			process().handles().remove(srq);
		}
	}

	@Override
	public int ibvPostSrqRecv(long srq, ReceiveWorkRequest first) {
		try (FabricLock ignored = hold()) {
			ReceiveQueue receives = get("ibv_post_srq_recv", srq, LoopbackSrq.class).receives();
			int errno = receives.post(first);
			receives.resumeWaiting();
			return errno;
		}
	}

	@Override
	public @Nullable AsyncEventData ibvGetAsyncEvent(long context) {
		try (FabricLock ignored = hold()) {
			DeviceContext.AsyncEvent event = context("ibv_get_async_event", context).asyncEvents().poll();
			if (event == null) {
				return null;
			}
			event.owner().fetched();
			return new AsyncEventData(process().handles().add(event), event.type(), event.element());
		}
	}

	@Override
	public void ibvAckAsyncEvent(long event) {
		try (FabricLock ignored = hold()) {
			get("ibv_ack_async_event", event, DeviceContext.AsyncEvent.class).owner().acknowledged(1);
			process().handles().remove(event);
		}
	}

	@Override
	public long ibvCreateAh(long pd, AddressHandleAttributes attributes) {
		try (FabricLock ignored = hold()) {
			LoopbackPd domain = get("ibv_create_ah", pd, LoopbackPd.class);
			if (attributes.portNum() != 1 || !attributes.global() || attributes.dgid().length != 16) {
				throw new RdmaException("ibv_create_ah", Errno.EINVAL.value());
			}
			domain.use();
			return process().handles().add(new LoopbackAh(domain, attributes));
		}
	}

	@Override
	public long ibvCreateAhFromWc(long pd, WorkCompletion completion, ByteBuffer grh, int port) {
		if ((completion.flags & 1) == 0 || grh.remaining() < DatagramTransport.HEADER || port != 1) {
			throw new RdmaException("ibv_create_ah_from_wc", Errno.EINVAL.value());
		}
		byte[] source = new byte[16];
		grh.get(grh.position() + 8, source);
		return ibvCreateAh(pd, Gids.pathTo(Gids.addressOf(source)));
	}

	@Override
	public void ibvDestroyAh(long ah) {
		try (FabricLock ignored = hold()) {
			get("ibv_destroy_ah", ah, LoopbackAh.class).pd().release();
			process().handles().remove(ah);
		}
	}

	@Override
	public void ibvAttachMcast(long qp, byte[] gid, int lid) {
		try (FabricLock ignored = hold()) {
			fabric().multicast().attach(group("ibv_attach_mcast", gid), get("ibv_attach_mcast", qp, LoopbackQp.class));
		}
	}

	@Override
	public void ibvDetachMcast(long qp, byte[] gid, int lid) {
		try (FabricLock ignored = hold()) {
			LoopbackQp attached = get("ibv_detach_mcast", qp, LoopbackQp.class);
			if (!fabric().multicast().detach(group("ibv_detach_mcast", gid), attached)) {
				throw new RdmaException("ibv_detach_mcast", Errno.EINVAL.value());
			}
		}
	}

	private static InetAddress group(String call, byte[] gid) {
		InetAddress group = Gids.addressOf(gid);
		if (!group.isMulticastAddress()) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
		return group;
	}

}
