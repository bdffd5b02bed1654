package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.AddressHandleAttributes;
import io.github.rdmaboot.provider.AsyncEventData;
import io.github.rdmaboot.provider.CreatedQueuePair;
import io.github.rdmaboot.provider.DeviceAttributes;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.ForkStatus;
import io.github.rdmaboot.provider.HandleList;
import io.github.rdmaboot.provider.IbvCalls;
import io.github.rdmaboot.provider.MemoryRegionData;
import io.github.rdmaboot.provider.PortAttributes;
import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;
import org.jspecify.annotations.Nullable;

/**
 * The calls of libibverbs.
 */
abstract class JnaIbvCalls extends JnaCmCalls implements IbvCalls {

	private final DataPath dataPath;

	private final OptionalFunction isForkInitialized = new OptionalFunction(Libibverbs.LIBRARY,
			"ibv_is_fork_initialized");

	JnaIbvCalls(CallPath path) {
		this.dataPath = new DataPath(path);
	}

	@Override
	public HandleList ibvGetDeviceList() {
		try (NativeBlock count = new NativeBlock(Integer.BYTES)) {
			long list = CallOutcome.requirePointer("ibv_get_device_list",
					Libibverbs.ibv_get_device_list(count.address()));
			return HandleLists.read(list, count.getInt(0));
		}
	}

	@Override
	public void ibvFreeDeviceList(HandleList devices) {
		Libibverbs.ibv_free_device_list(devices.list());
	}

	@Override
	public String ibvGetDeviceName(long device) {
		return RawMemory.getString(Libibverbs.ibv_get_device_name(device));
	}

	@Override
	public long ibvGetDeviceGuid(long device) {
		return NetworkOrder.convert(Libibverbs.ibv_get_device_guid(device));
	}

	@Override
	public int ibvGetDeviceIndex(long device) {
		return Libibverbs.ibv_get_device_index(device);
	}

	@Override
	public long deviceOf(long context) {
		return RawMemory.getLong(context + ContextLayout.DEVICE);
	}

	@Override
	public int transportTypeOf(long device) {
		return RawMemory.getInt(device + DeviceLayout.TRANSPORT_TYPE);
	}

	@Override
	public long ibvOpenDevice(long device) {
		return CallOutcome.requirePointer("ibv_open_device", Libibverbs.ibv_open_device(device));
	}

	@Override
	public void ibvCloseDevice(long context) {
		CallOutcome.requireZero("ibv_close_device", Libibverbs.ibv_close_device(context));
	}

	@Override
	public DeviceAttributes ibvQueryDevice(long context) {
		return DeviceQueries.device(context);
	}

	@Override
	public PortAttributes ibvQueryPort(long context, int port) {
		return DeviceQueries.port(context, port);
	}

	@Override
	public byte[] ibvQueryGid(long context, int port, int index) {
		return DeviceQueries.gid(context, port, index);
	}

	@Override
	public int ibvQueryPkey(long context, int port, int index) {
		return DeviceQueries.pkey(context, port, index);
	}

	@Override
	public long ibvAllocPd(long context) {
		return CallOutcome.requirePointer("ibv_alloc_pd", Libibverbs.ibv_alloc_pd(context));
	}

	@Override
	public void ibvDeallocPd(long pd) {
		CallOutcome.requireZero("ibv_dealloc_pd", Libibverbs.ibv_dealloc_pd(pd));
	}

	@Override
	public MemoryRegionData ibvRegMr(long pd, ByteBuffer memory, int accessFlags) {
		return MemoryRegistration.register(pd, memory, accessFlags);
	}

	@Override
	public void ibvDeregMr(long mr) {
		CallOutcome.requireZero("ibv_dereg_mr", Libibverbs.ibv_dereg_mr(mr));
	}

	@Override
	public long ibvCreateCompChannel(long context) {
		long channel = CallOutcome.requirePointer("ibv_create_comp_channel",
				Libibverbs.ibv_create_comp_channel(context));
		try {
			FileDescriptors.setNonBlocking(completionChannelFd(channel));
		}
		catch (RdmaException ex) {
			Libibverbs.ibv_destroy_comp_channel(channel);
			throw ex;
		}
		return channel;
	}

	/**
	 * Return the file descriptor of a completion channel.
	 * @param completionChannel the completion channel
	 * @return the file descriptor
	 */
	static int completionChannelFd(long completionChannel) {
		return RawMemory.getInt(completionChannel + CompletionChannelLayout.FD);
	}

	@Override
	public void ibvDestroyCompChannel(long completionChannel) {
		CallOutcome.requireZero("ibv_destroy_comp_channel", Libibverbs.ibv_destroy_comp_channel(completionChannel));
	}

	@Override
	public long ibvCreateCq(long context, int entries, long completionChannel, int completionVector) {
		return CallOutcome.requirePointer("ibv_create_cq",
				Libibverbs.ibv_create_cq(context, entries, 0, completionChannel, completionVector));
	}

	@Override
	public void ibvDestroyCq(long cq) {
		CallOutcome.requireZero("ibv_destroy_cq", Libibverbs.ibv_destroy_cq(cq));
	}

	@Override
	public long ibvGetCqEvent(long completionChannel) {
		try (NativeBlock result = new NativeBlock(2 * Long.BYTES)) {
			while (Libibverbs.ibv_get_cq_event(completionChannel, result.address(),
					result.address() + Long.BYTES) != 0) {
				int errno = CallOutcome.lastErrno();
				if (errno == Errno.EAGAIN.value()) {
					return 0;
				}
				if (errno != Errno.EINTR.value()) {
					throw new RdmaException("ibv_get_cq_event", errno);
				}
			}
			return result.getLong(0);
		}
	}

	@Override
	public void ibvAckCqEvents(long cq, int events) {
		Libibverbs.ibv_ack_cq_events(cq, events);
	}

	@Override
	public void ibvReqNotifyCq(long cq, boolean solicitedOnly) {
		int errno = this.dataPath.reqNotifyCq(cq, solicitedOnly);
		if (errno != 0) {
			throw new RdmaException("ibv_req_notify_cq", errno);
		}
	}

	@Override
	public int ibvPollCq(long cq, WorkCompletion[] completions) {
		return this.dataPath.pollCq(cq, completions);
	}

	@Override
	public CreatedQueuePair ibvCreateQp(long pd, QueuePairInit init) {
		try (NativeBlock attributes = QueuePairCodec.encode(init)) {
			long qp = CallOutcome.requirePointer("ibv_create_qp", Libibverbs.ibv_create_qp(pd, attributes.address()));
			return QueuePairCodec.created(qp, attributes.address() + QueuePairInitLayout.CAPABILITIES);
		}
	}

	@Override
	public void ibvModifyQp(long qp, QueuePairAttributes attributes) {
		try (NativeBlock block = QueuePairCodec.encode(attributes)) {
			CallOutcome.requireZero("ibv_modify_qp", Libibverbs.ibv_modify_qp(qp, block.address(), attributes.mask()));
		}
	}

	@Override
	public QueuePairAttributes ibvQueryQp(long qp, int mask) {
		try (NativeBlock attributes = new NativeBlock(QueuePairAttributesLayout.SIZE);
				NativeBlock init = new NativeBlock(QueuePairInitLayout.SIZE)) {
			CallOutcome.requireZero("ibv_query_qp",
					Libibverbs.ibv_query_qp(qp, attributes.address(), mask, init.address()));
			return QueuePairCodec.decode(attributes, mask);
		}
	}

	@Override
	public void ibvDestroyQp(long qp) {
		CallOutcome.requireZero("ibv_destroy_qp", Libibverbs.ibv_destroy_qp(qp));
	}

	@Override
	public int ibvPostSend(long qp, SendWorkRequest first) {
		return this.dataPath.postSend(qp, first);
	}

	@Override
	public int ibvPostRecv(long qp, ReceiveWorkRequest first) {
		return this.dataPath.postRecv(qp, first);
	}

	@Override
	public long ibvCreateSrq(long pd, int maxWr, int maxSge) {
		try (NativeBlock attributes = new NativeBlock(SharedReceiveQueueInitLayout.SIZE)) {
			attributes.putInt(SharedReceiveQueueInitLayout.MAX_WR, maxWr)
				.putInt(SharedReceiveQueueInitLayout.MAX_SGE, maxSge);
			return CallOutcome.requirePointer("ibv_create_srq", Libibverbs.ibv_create_srq(pd, attributes.address()));
		}
	}

	@Override
	public void ibvDestroySrq(long srq) {
		CallOutcome.requireZero("ibv_destroy_srq", Libibverbs.ibv_destroy_srq(srq));
	}

	@Override
	public int ibvPostSrqRecv(long srq, ReceiveWorkRequest first) {
		return this.dataPath.postSrqRecv(srq, first);
	}

	@Override
	public @Nullable AsyncEventData ibvGetAsyncEvent(long context) {
		return AsyncEvents.fetch(context);
	}

	@Override
	public void ibvAckAsyncEvent(long event) {
		AsyncEvents.acknowledge(event);
	}

	@Override
	public long ibvCreateAh(long pd, AddressHandleAttributes attributes) {
		try (NativeBlock block = new NativeBlock(AddressHandleLayout.SIZE)) {
			AddressHandleAttributesCodec.encode(attributes, block, 0);
			return CallOutcome.requirePointer("ibv_create_ah", Libibverbs.ibv_create_ah(pd, block.address()));
		}
	}

	@Override
	public long ibvCreateAhFromWc(long pd, WorkCompletion completion, ByteBuffer grh, int port) {
		try (NativeBlock block = new NativeBlock(WorkCompletionLayout.SIZE)) {
			block.putInt(WorkCompletionLayout.SOURCE_QP, completion.sourceQp)
				.putInt(WorkCompletionLayout.FLAGS, completion.flags)
				.putShort(WorkCompletionLayout.PKEY_INDEX, completion.pkeyIndex)
				.putShort(WorkCompletionLayout.SOURCE_LID, completion.sourceLid)
				.putByte(WorkCompletionLayout.SERVICE_LEVEL, completion.serviceLevel)
				.putByte(WorkCompletionLayout.DESTINATION_PATH_BITS, completion.destinationPathBits);
			long header = MemoryRegistration.addressOf("ibv_create_ah_from_wc", grh);
			return CallOutcome.requirePointer("ibv_create_ah_from_wc",
					Libibverbs.ibv_create_ah_from_wc(pd, block.address(), header, port));
		}
	}

	@Override
	public void ibvDestroyAh(long ah) {
		CallOutcome.requireZero("ibv_destroy_ah", Libibverbs.ibv_destroy_ah(ah));
	}

	@Override
	public void ibvAttachMcast(long qp, byte[] gid, int lid) {
		try (NativeBlock group = Gid.encode(gid)) {
			CallOutcome.requireZero("ibv_attach_mcast", Libibverbs.ibv_attach_mcast(qp, group.address(), lid));
		}
	}

	@Override
	public void ibvDetachMcast(long qp, byte[] gid, int lid) {
		try (NativeBlock group = Gid.encode(gid)) {
			CallOutcome.requireZero("ibv_detach_mcast", Libibverbs.ibv_detach_mcast(qp, group.address(), lid));
		}
	}

	@Override
	public void ibvForkInit() {
		CallOutcome.requireZero("ibv_fork_init", Libibverbs.ibv_fork_init());
	}

	@Override
	public ForkStatus ibvIsForkInitialized() {
		int value = this.isForkInitialized.call();
		for (ForkStatus status : ForkStatus.values()) {
			if (status.value() == value) {
				return status;
			}
		}
		throw new RdmaException("ibv_is_fork_initialized", Errno.EPROTO.value(),
				"ibv_is_fork_initialized returned " + value + ", which is not known");
	}

	@Override
	public String ibvWcStatusStr(int status) {
		return RawMemory.getString(Libibverbs.ibv_wc_status_str(status));
	}

	@Override
	public String ibvEventTypeStr(int eventType) {
		return RawMemory.getString(Libibverbs.ibv_event_type_str(eventType));
	}

	@Override
	public String ibvPortStateStr(int state) {
		return RawMemory.getString(Libibverbs.ibv_port_state_str(state));
	}

	@Override
	public String ibvNodeTypeStr(int nodeType) {
		return RawMemory.getString(Libibverbs.ibv_node_type_str(nodeType));
	}

}
