package io.github.rdmaboot.provider.jna;

import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;

/**
 * Encodes {@code struct rdma_conn_param} and private data. C holds their numbers in a
 * byte, so that too large a one would silently become another.
 */
final class ConnectionParametersCodec {

	private static final int MAX_BYTE = 255;

	private ConnectionParametersCodec() {
	}

	/**
	 * Encode connection parameters.
	 * @param call the C function that will take them
	 * @param parameters the parameters
	 * @return the structure and behind it the private data, to be closed
	 */
	static NativeBlock encode(String call, ConnectionParameters parameters) {
		int length = parameters.privateData().length;
		requireByte(call, "private data length", length);
		requireByte(call, "responder resources", parameters.responderResources());
		requireByte(call, "initiator depth", parameters.initiatorDepth());
		requireByte(call, "retry count", parameters.retryCount());
		requireByte(call, "RNR retry count", parameters.rnrRetryCount());
		return NativeBlock.filled(ConnectionParametersLayout.SIZE + length, (block) -> fill(block, parameters));
	}

	private static void fill(NativeBlock block, ConnectionParameters parameters) {
		int length = parameters.privateData().length;
		block.putByte(ConnectionParametersLayout.RESPONDER_RESOURCES, parameters.responderResources())
			.putByte(ConnectionParametersLayout.INITIATOR_DEPTH, parameters.initiatorDepth())
			.putByte(ConnectionParametersLayout.FLOW_CONTROL, parameters.flowControl() ? 1 : 0)
			.putByte(ConnectionParametersLayout.RETRY_COUNT, parameters.retryCount())
			.putByte(ConnectionParametersLayout.RNR_RETRY_COUNT, parameters.rnrRetryCount())
			.putByte(ConnectionParametersLayout.SRQ, parameters.srq() ? 1 : 0)
			.putInt(ConnectionParametersLayout.QP_NUM, parameters.qpNum());
		if (length > 0) {
			block.putBytes(ConnectionParametersLayout.SIZE, parameters.privateData())
				.putLong(ConnectionParametersLayout.PRIVATE_DATA, block.address() + ConnectionParametersLayout.SIZE)
				.putByte(ConnectionParametersLayout.PRIVATE_DATA_LENGTH, length);
		}
	}

	/**
	 * Encode private data alone.
	 * @param call the C function that will take it
	 * @param privateData the private data
	 * @return the memory, to be closed
	 */
	static NativeBlock encodePrivateData(String call, byte[] privateData) {
		requireByte(call, "private data length", privateData.length);
		return NativeBlock.filled(Math.max(privateData.length, 1), (block) -> block.putBytes(0, privateData));
	}

	/**
	 * Check a number that C holds in a byte.
	 * @param call the C function that will take it
	 * @param what what the number is
	 * @param value the number
	 * @throws RdmaException with EINVAL when it is not from 0 to 255
	 */
	static void requireByte(String call, String what, int value) {
		if (value < 0 || value > MAX_BYTE) {
			throw new RdmaException(call, Errno.EINVAL.value(), call + " failed with "
					+ Errno.describe(Errno.EINVAL.value()) + ": " + what + " " + value + " is not from 0 to 255");
		}
	}

}
