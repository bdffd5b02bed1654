package io.github.rdmaboot.provider.jna;

import io.github.rdmaboot.provider.CreatedQueuePair;
import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.QueuePairState;

/**
 * Converts the structures by which queue pairs are created, changed and queried.
 */
final class QueuePairCodec {

	private static final int INIT_ATTR_PD = 1;

	private static final int INIT_ATTR_CREATE_FLAGS = 4;

	private QueuePairCodec() {
	}

	/**
	 * Encode how to create a queue pair.
	 * @param init how to create it
	 * @return a {@code struct ibv_qp_init_attr}, to be closed
	 */
	static NativeBlock encode(QueuePairInit init) {
		return NativeBlock.filled(QueuePairInitLayout.SIZE, (block) -> fill(block, init));
	}

	private static void fill(NativeBlock block, QueuePairInit init) {
		block.putLong(QueuePairInitLayout.SEND_CQ, init.sendCq())
			.putLong(QueuePairInitLayout.RECV_CQ, init.recvCq())
			.putLong(QueuePairInitLayout.SRQ, init.srq())
			.putInt(QueuePairInitLayout.QP_TYPE, init.type().value())
			.putInt(QueuePairInitLayout.SIGNAL_ALL, init.signalAll() ? 1 : 0);
		encode(init.capabilities(), block, QueuePairInitLayout.CAPABILITIES);
	}

	/**
	 * Encode how to create a queue pair with flags.
	 * @param init how to create it
	 * @param pd the protection domain
	 * @param createFlags the flags
	 * @return a {@code struct ibv_qp_init_attr_ex}, to be closed
	 */
	static NativeBlock encode(QueuePairInit init, long pd, int createFlags) {
		return NativeBlock.filled(QueuePairInitExLayout.SIZE, (block) -> fill(block, init, pd, createFlags));
	}

	private static void fill(NativeBlock block, QueuePairInit init, long pd, int createFlags) {
		block.putLong(QueuePairInitExLayout.SEND_CQ, init.sendCq())
			.putLong(QueuePairInitExLayout.RECV_CQ, init.recvCq())
			.putLong(QueuePairInitExLayout.SRQ, init.srq())
			.putInt(QueuePairInitExLayout.QP_TYPE, init.type().value())
			.putInt(QueuePairInitExLayout.SIGNAL_ALL, init.signalAll() ? 1 : 0)
			.putInt(QueuePairInitExLayout.COMP_MASK, INIT_ATTR_PD | INIT_ATTR_CREATE_FLAGS)
			.putLong(QueuePairInitExLayout.PD, pd)
			.putInt(QueuePairInitExLayout.CREATE_FLAGS, createFlags);
		encode(init.capabilities(), block, QueuePairInitExLayout.CAPABILITIES);
	}

	/**
	 * Describe a queue pair that was just created.
	 * @param qp the queue pair
	 * @param capabilitiesAddress the address of the capabilities that it got
	 * @return the description
	 */
	static CreatedQueuePair created(long qp, long capabilitiesAddress) {
		return new CreatedQueuePair(qp, RawMemory.getInt(qp + QueuePairLayout.QP_NUM),
				decodeCapabilities(capabilitiesAddress));
	}

	/**
	 * Encode attributes.
	 * @param attributes the attributes
	 * @return a {@code struct ibv_qp_attr}, to be closed
	 */
	static NativeBlock encode(QueuePairAttributes attributes) {
		return NativeBlock.filled(QueuePairAttributesLayout.SIZE, (block) -> fill(block, attributes));
	}

	private static void fill(NativeBlock block, QueuePairAttributes attributes) {
		block.putInt(QueuePairAttributesLayout.STATE, attributes.state().value())
			.putInt(QueuePairAttributesLayout.CURRENT_STATE, attributes.currentState().value())
			.putInt(QueuePairAttributesLayout.PATH_MTU, attributes.pathMtu())
			.putInt(QueuePairAttributesLayout.QKEY, attributes.qkey())
			.putInt(QueuePairAttributesLayout.RECEIVE_PSN, attributes.receivePsn())
			.putInt(QueuePairAttributesLayout.SEND_PSN, attributes.sendPsn())
			.putInt(QueuePairAttributesLayout.DESTINATION_QP_NUM, attributes.destinationQpNum())
			.putInt(QueuePairAttributesLayout.ACCESS_FLAGS, attributes.accessFlags())
			.putShort(QueuePairAttributesLayout.PKEY_INDEX, attributes.pkeyIndex())
			.putByte(QueuePairAttributesLayout.MAX_RD_ATOMIC, attributes.maxRdAtomic())
			.putByte(QueuePairAttributesLayout.MAX_DEST_RD_ATOMIC, attributes.maxDestRdAtomic())
			.putByte(QueuePairAttributesLayout.MIN_RNR_TIMER, attributes.minRnrTimer())
			.putByte(QueuePairAttributesLayout.PORT_NUM, attributes.portNum())
			.putByte(QueuePairAttributesLayout.TIMEOUT, attributes.timeout())
			.putByte(QueuePairAttributesLayout.RETRY_COUNT, attributes.retryCount())
			.putByte(QueuePairAttributesLayout.RNR_RETRY, attributes.rnrRetry());
		if (attributes.capabilities() != null) {
			encode(attributes.capabilities(), block, QueuePairAttributesLayout.CAPABILITIES);
		}
		if (attributes.address() != null) {
			AddressHandleAttributesCodec.encode(attributes.address(), block, QueuePairAttributesLayout.ADDRESS);
		}
	}

	/**
	 * Decode attributes.
	 * @param block a {@code struct ibv_qp_attr}
	 * @param mask which of them count
	 * @return the attributes
	 */
	static QueuePairAttributes decode(NativeBlock block, int mask) {
		return new QueuePairAttributes(mask, state(block.getInt(QueuePairAttributesLayout.STATE)),
				state(block.getInt(QueuePairAttributesLayout.CURRENT_STATE)),
				block.getInt(QueuePairAttributesLayout.PATH_MTU), block.getInt(QueuePairAttributesLayout.QKEY),
				block.getInt(QueuePairAttributesLayout.RECEIVE_PSN), block.getInt(QueuePairAttributesLayout.SEND_PSN),
				block.getInt(QueuePairAttributesLayout.DESTINATION_QP_NUM),
				block.getInt(QueuePairAttributesLayout.ACCESS_FLAGS),
				decodeCapabilities(block.address() + QueuePairAttributesLayout.CAPABILITIES),
				AddressHandleAttributesCodec.decode(block.address() + QueuePairAttributesLayout.ADDRESS),
				block.getUnsignedShort(QueuePairAttributesLayout.PKEY_INDEX),
				block.getUnsignedByte(QueuePairAttributesLayout.MAX_RD_ATOMIC),
				block.getUnsignedByte(QueuePairAttributesLayout.MAX_DEST_RD_ATOMIC),
				block.getUnsignedByte(QueuePairAttributesLayout.MIN_RNR_TIMER),
				block.getUnsignedByte(QueuePairAttributesLayout.PORT_NUM),
				block.getUnsignedByte(QueuePairAttributesLayout.TIMEOUT),
				block.getUnsignedByte(QueuePairAttributesLayout.RETRY_COUNT),
				block.getUnsignedByte(QueuePairAttributesLayout.RNR_RETRY));
	}

	private static QueuePairState state(int value) {
		QueuePairState state = QueuePairState.of(value);
		return (state != null) ? state : QueuePairState.UNKNOWN;
	}

	private static void encode(QueuePairCapabilities capabilities, NativeBlock block, int base) {
		block.putInt(base + CapabilitiesLayout.MAX_SEND_WR, capabilities.maxSendWr())
			.putInt(base + CapabilitiesLayout.MAX_RECV_WR, capabilities.maxRecvWr())
			.putInt(base + CapabilitiesLayout.MAX_SEND_SGE, capabilities.maxSendSge())
			.putInt(base + CapabilitiesLayout.MAX_RECV_SGE, capabilities.maxRecvSge())
			.putInt(base + CapabilitiesLayout.MAX_INLINE_DATA, capabilities.maxInlineData());
	}

	private static QueuePairCapabilities decodeCapabilities(long address) {
		return new QueuePairCapabilities(RawMemory.getInt(address + CapabilitiesLayout.MAX_SEND_WR),
				RawMemory.getInt(address + CapabilitiesLayout.MAX_RECV_WR),
				RawMemory.getInt(address + CapabilitiesLayout.MAX_SEND_SGE),
				RawMemory.getInt(address + CapabilitiesLayout.MAX_RECV_SGE),
				RawMemory.getInt(address + CapabilitiesLayout.MAX_INLINE_DATA));
	}

}
