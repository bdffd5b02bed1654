package io.github.rdmaboot.provider.jna;

import java.net.InetSocketAddress;
import java.util.List;

import io.github.rdmaboot.provider.AddressInfo;
import io.github.rdmaboot.provider.CmEventData;
import io.github.rdmaboot.provider.CmIdOption;
import io.github.rdmaboot.provider.ConnectionEce;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.CreatedQueuePair;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.HandleList;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.RdmaCmCalls;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * The calls of librdmacm.
 */
abstract class JnaCmCalls implements RdmaCmCalls {

	private static final int OPTION_LEVEL_ID = 0;

	private static final int JOIN_ATTR_ADDRESS = 1;

	private static final int JOIN_ATTR_JOIN_FLAGS = 2;

	private static final int JOIN_FLAG_FULL_MEMBER = 0;

	private static final int JOIN_FLAG_SEND_ONLY = 1;

	private final OptionalFunction joinMulticastEx = new OptionalFunction(Librdmacm.LIBRARY, "rdma_join_multicast_ex");

	private final OptionalFunction setLocalEce = new OptionalFunction(Librdmacm.LIBRARY, "rdma_set_local_ece");

	private final OptionalFunction getRemoteEce = new OptionalFunction(Librdmacm.LIBRARY, "rdma_get_remote_ece");

	private final OptionalFunction rejectEce = new OptionalFunction(Librdmacm.LIBRARY, "rdma_reject_ece");

	@Override
	public long rdmaCreateEventChannel() {
		long channel = CallOutcome.requirePointer("rdma_create_event_channel", Librdmacm.rdma_create_event_channel());
		try {
			FileDescriptors.setNonBlocking(eventChannelFd(channel));
		}
		catch (RdmaException ex) {
			Librdmacm.rdma_destroy_event_channel(channel);
			throw ex;
		}
		return channel;
	}

	/**
	 * Return the file descriptor of an event channel.
	 * @param channel the event channel
	 * @return the file descriptor
	 */
	static int eventChannelFd(long channel) {
		return RawMemory.getInt(channel + EventChannelLayout.FD);
	}

	@Override
	public void rdmaDestroyEventChannel(long channel) {
		Librdmacm.rdma_destroy_event_channel(channel);
	}

	@Override
	public long rdmaCreateId(long channel, PortSpace portSpace) {
		try (NativeBlock result = new NativeBlock(Long.BYTES)) {
			CallOutcome.requireNotMinusOne("rdma_create_id",
					Librdmacm.rdma_create_id(channel, result.address(), 0, portSpace.value()));
			return result.getLong(0);
		}
	}

	@Override
	public void rdmaDestroyId(long id) {
		CallOutcome.requireNotMinusOne("rdma_destroy_id", Librdmacm.rdma_destroy_id(id));
	}

	@Override
	public void rdmaBindAddr(long id, InetSocketAddress address) {
		try (NativeBlock local = SocketAddresses.encode(address)) {
			CallOutcome.requireNotMinusOne("rdma_bind_addr", Librdmacm.rdma_bind_addr(id, local.address()));
		}
	}

	@Override
	public void rdmaResolveAddr(long id, @Nullable InetSocketAddress source, InetSocketAddress destination,
			int timeoutMillis) {
		try (NativeBlock peer = SocketAddresses.encode(destination);
				NativeBlock local = (source != null) ? SocketAddresses.encode(source) : null) {
			CallOutcome.requireNotMinusOne("rdma_resolve_addr", Librdmacm.rdma_resolve_addr(id,
					(local != null) ? local.address() : 0, peer.address(), timeoutMillis));
		}
	}

	@Override
	public void rdmaResolveRoute(long id, int timeoutMillis) {
		CallOutcome.requireNotMinusOne("rdma_resolve_route", Librdmacm.rdma_resolve_route(id, timeoutMillis));
	}

	@Override
	public CreatedQueuePair rdmaCreateQp(long id, long pd, QueuePairInit init) {
		try (NativeBlock attributes = QueuePairCodec.encode(init)) {
			CallOutcome.requireNotMinusOne("rdma_create_qp", Librdmacm.rdma_create_qp(id, pd, attributes.address()));
			return QueuePairCodec.created(RawMemory.getLong(id + CmIdLayout.QP),
					attributes.address() + QueuePairInitLayout.CAPABILITIES);
		}
	}

	@Override
	public CreatedQueuePair rdmaCreateQpEx(long id, long pd, QueuePairInit init, int createFlags) {
		try (NativeBlock attributes = QueuePairCodec.encode(init, pd, createFlags)) {
			CallOutcome.requireNotMinusOne("rdma_create_qp_ex", Librdmacm.rdma_create_qp_ex(id, attributes.address()));
			return QueuePairCodec.created(RawMemory.getLong(id + CmIdLayout.QP),
					attributes.address() + QueuePairInitExLayout.CAPABILITIES);
		}
	}

	@Override
	public void rdmaDestroyQp(long id) {
		CallOutcome.requireZero("ibv_destroy_qp", Libibverbs.ibv_destroy_qp(RawMemory.getLong(id + CmIdLayout.QP)));
		RawMemory.putLong(id + CmIdLayout.QP, 0);
	}

	@Override
	public void rdmaConnect(long id, ConnectionParameters parameters) {
		try (NativeBlock block = ConnectionParametersCodec.encode("rdma_connect", parameters)) {
			CallOutcome.requireNotMinusOne("rdma_connect", Librdmacm.rdma_connect(id, block.address()));
		}
	}

	@Override
	public void rdmaEstablish(long id) {
		CallOutcome.requireNotMinusOne("rdma_establish", Librdmacm.rdma_establish(id));
	}

	@Override
	public void rdmaListen(long id, int backlog) {
		CallOutcome.requireNotMinusOne("rdma_listen", Librdmacm.rdma_listen(id, backlog));
	}

	@Override
	public void rdmaAccept(long id, ConnectionParameters parameters) {
		try (NativeBlock block = ConnectionParametersCodec.encode("rdma_accept", parameters)) {
			CallOutcome.requireNotMinusOne("rdma_accept", Librdmacm.rdma_accept(id, block.address()));
		}
	}

	@Override
	public void rdmaReject(long id, byte[] privateData) {
		try (NativeBlock block = ConnectionParametersCodec.encodePrivateData("rdma_reject", privateData)) {
			CallOutcome.requireNotMinusOne("rdma_reject",
					Librdmacm.rdma_reject(id, block.address(), privateData.length));
		}
	}

	@Override
	public void rdmaNotify(long id, int asyncEventType) {
		CallOutcome.requireNotMinusOne("rdma_notify", Librdmacm.rdma_notify(id, asyncEventType));
	}

	@Override
	public void rdmaDisconnect(long id) {
		CallOutcome.requireNotMinusOne("rdma_disconnect", Librdmacm.rdma_disconnect(id));
	}

	@Override
	public @Nullable CmEventData rdmaGetCmEvent(long channel) {
		try (NativeBlock result = new NativeBlock(Long.BYTES)) {
			while (Librdmacm.rdma_get_cm_event(channel, result.address()) != 0) {
				int errno = CallOutcome.lastErrno();
				if (errno == Errno.EAGAIN.value()) {
					return null;
				}
				if (errno != Errno.EINTR.value()) {
					throw new RdmaException("rdma_get_cm_event", errno);
				}
			}
			return CmEventReader.read(result.getLong(0));
		}
	}

	@Override
	public void rdmaAckCmEvent(long event) {
		CallOutcome.requireNotMinusOne("rdma_ack_cm_event", Librdmacm.rdma_ack_cm_event(event));
	}

	@Override
	public int rdmaGetSrcPort(long id) {
		return Short.toUnsignedInt(NetworkOrder.convert(Librdmacm.rdma_get_src_port(id)));
	}

	@Override
	public int rdmaGetDstPort(long id) {
		return Short.toUnsignedInt(NetworkOrder.convert(Librdmacm.rdma_get_dst_port(id)));
	}

	@Override
	public @Nullable InetSocketAddress rdmaGetLocalAddr(long id) {
		return SocketAddresses.decode(id + CmIdLayout.SOURCE_ADDRESS);
	}

	@Override
	public @Nullable InetSocketAddress rdmaGetPeerAddr(long id) {
		return SocketAddresses.decode(id + CmIdLayout.DESTINATION_ADDRESS);
	}

	@Override
	public long contextOf(long id) {
		return RawMemory.getLong(id + CmIdLayout.VERBS);
	}

	@Override
	public int portNumOf(long id) {
		return RawMemory.getUnsignedByte(id + CmIdLayout.PORT_NUM);
	}

	@Override
	public HandleList rdmaGetDevices() {
		try (NativeBlock count = new NativeBlock(Integer.BYTES)) {
			long list = CallOutcome.requirePointer("rdma_get_devices", Librdmacm.rdma_get_devices(count.address()));
			return HandleLists.read(list, count.getInt(0));
		}
	}

	@Override
	public void rdmaFreeDevices(HandleList devices) {
		Librdmacm.rdma_free_devices(devices.list());
	}

	@Override
	public String rdmaEventStr(int eventType) {
		return RawMemory.getString(Librdmacm.rdma_event_str(eventType));
	}

	@Override
	public void rdmaSetOption(long id, CmIdOption option, int value) {
		try (NativeBlock block = new NativeBlock(Integer.BYTES)) {
			int length = switch (option) {
				case TOS, ACK_TIMEOUT -> {
					ConnectionParametersCodec.requireByte("rdma_set_option", option.name(), value);
					block.putByte(0, value);
					yield Byte.BYTES;
				}
				case REUSEADDR, AFONLY -> {
					block.putInt(0, value);
					yield Integer.BYTES;
				}
			};
			CallOutcome.requireNotMinusOne("rdma_set_option",
					Librdmacm.rdma_set_option(id, OPTION_LEVEL_ID, option.value(), block.address(), length));
		}
	}

	@Override
	public void rdmaMigrateId(long id, long channel) {
		CallOutcome.requireNotMinusOne("rdma_migrate_id", Librdmacm.rdma_migrate_id(id, channel));
	}

	@Override
	public List<AddressInfo> rdmaGetaddrinfo(@Nullable String node, @Nullable String service, int flags,
			PortSpace portSpace) {
		return AddressTranslation.translate(node, service, flags, portSpace);
	}

	@Override
	public long rdmaCreateSrq(long id, long pd, int maxWr, int maxSge) {
		try (NativeBlock attributes = new NativeBlock(SharedReceiveQueueInitLayout.SIZE)) {
			attributes.putInt(SharedReceiveQueueInitLayout.MAX_WR, maxWr)
				.putInt(SharedReceiveQueueInitLayout.MAX_SGE, maxSge);
			CallOutcome.requireNotMinusOne("rdma_create_srq", Librdmacm.rdma_create_srq(id, pd, attributes.address()));
			return RawMemory.getLong(id + CmIdLayout.SRQ);
		}
	}

	@Override
	public void rdmaDestroySrq(long id) {
		CallOutcome.requireZero("ibv_destroy_srq", Libibverbs.ibv_destroy_srq(RawMemory.getLong(id + CmIdLayout.SRQ)));
		RawMemory.putLong(id + CmIdLayout.SRQ, 0);
	}

	@Override
	public void rdmaJoinMulticast(long id, InetSocketAddress group, long context) {
		try (NativeBlock address = SocketAddresses.encode(group)) {
			CallOutcome.requireNotMinusOne("rdma_join_multicast",
					Librdmacm.rdma_join_multicast(id, address.address(), context));
		}
	}

	@Override
	public void rdmaJoinMulticastEx(long id, InetSocketAddress group, boolean sendOnly) {
		try (NativeBlock address = SocketAddresses.encode(group);
				NativeBlock attributes = new NativeBlock(JoinMulticastLayout.SIZE)) {
			attributes.putInt(JoinMulticastLayout.COMP_MASK, JOIN_ATTR_ADDRESS | JOIN_ATTR_JOIN_FLAGS)
				.putInt(JoinMulticastLayout.JOIN_FLAGS, sendOnly ? JOIN_FLAG_SEND_ONLY : JOIN_FLAG_FULL_MEMBER)
				.putLong(JoinMulticastLayout.ADDRESS, address.address());
			this.joinMulticastEx.callOrThrow(id, attributes.address(), 0L);
		}
	}

	@Override
	public void rdmaLeaveMulticast(long id, InetSocketAddress group) {
		try (NativeBlock address = SocketAddresses.encode(group)) {
			CallOutcome.requireNotMinusOne("rdma_leave_multicast",
					Librdmacm.rdma_leave_multicast(id, address.address()));
		}
	}

	@Override
	public QueuePairAttributes rdmaInitQpAttr(long id, QueuePairState state) {
		try (NativeBlock attributes = new NativeBlock(QueuePairAttributesLayout.SIZE);
				NativeBlock mask = new NativeBlock(Integer.BYTES)) {
			attributes.putInt(QueuePairAttributesLayout.STATE, state.value());
			CallOutcome.requireNotMinusOne("rdma_init_qp_attr",
					Librdmacm.rdma_init_qp_attr(id, attributes.address(), mask.address()));
			return QueuePairCodec.decode(attributes, mask.getInt(0));
		}
	}

	@Override
	public void rdmaSetLocalEce(long id, ConnectionEce ece) {
		try (NativeBlock block = new NativeBlock(EceLayout.SIZE)) {
			block.putInt(EceLayout.VENDOR_ID, ece.vendorId()).putInt(EceLayout.OPTIONS, ece.options());
			this.setLocalEce.callOrThrow(id, block.address());
		}
	}

	@Override
	public ConnectionEce rdmaGetRemoteEce(long id) {
		try (NativeBlock block = new NativeBlock(EceLayout.SIZE)) {
			this.getRemoteEce.callOrThrow(id, block.address());
			return new ConnectionEce(block.getInt(EceLayout.VENDOR_ID), block.getInt(EceLayout.OPTIONS));
		}
	}

	@Override
	public void rdmaRejectEce(long id, byte[] privateData) {
		try (NativeBlock block = ConnectionParametersCodec.encodePrivateData("rdma_reject_ece", privateData)) {
			this.rejectEce.callOrThrow(id, block.address(), privateData.length);
		}
	}

}
