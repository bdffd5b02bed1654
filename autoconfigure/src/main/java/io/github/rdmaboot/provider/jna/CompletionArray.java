package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.WorkCompletion;

/**
 * An array of {@code struct ibv_wc} in native memory that is used again. Belongs to one
 * thread.
 */
final class CompletionArray {

	private static final int INITIAL_CAPACITY = 32;

	private ByteBuffer memory = CallBlock.allocate(INITIAL_CAPACITY * WorkCompletionLayout.SIZE);

	private long address = CallBlock.addressOf(this.memory);

	/**
	 * Make room for a number of completions.
	 * @param count the number of completions
	 * @return the address of the first one
	 */
	long reserve(int count) {
		int size = Math.multiplyExact(count, WorkCompletionLayout.SIZE);
		if (size > this.memory.capacity()) {
			this.memory = CallBlock.allocate(Math.max(size, 2 * this.memory.capacity()));
			this.address = CallBlock.addressOf(this.memory);
		}
		return this.address;
	}

	/**
	 * Copy completions out.
	 * @param completions where to
	 * @param count how many
	 */
	void read(WorkCompletion[] completions, int count) {
		for (int i = 0; i < count; i++) {
			read(completions[i], i * WorkCompletionLayout.SIZE);
		}
	}

	private void read(WorkCompletion completion, int offset) {
		ByteBuffer memory = this.memory;
		completion.wrId = memory.getLong(offset + WorkCompletionLayout.WR_ID);
		completion.status = memory.getInt(offset + WorkCompletionLayout.STATUS);
		completion.opcode = memory.getInt(offset + WorkCompletionLayout.OPCODE);
		completion.vendorError = memory.getInt(offset + WorkCompletionLayout.VENDOR_ERROR);
		completion.byteLength = memory.getInt(offset + WorkCompletionLayout.BYTE_LENGTH);
		completion.immediateData = NetworkOrder.convert(memory.getInt(offset + WorkCompletionLayout.IMM_DATA));
		completion.qpNum = memory.getInt(offset + WorkCompletionLayout.QP_NUM);
		completion.sourceQp = memory.getInt(offset + WorkCompletionLayout.SOURCE_QP);
		completion.flags = memory.getInt(offset + WorkCompletionLayout.FLAGS);
		completion.pkeyIndex = Short.toUnsignedInt(memory.getShort(offset + WorkCompletionLayout.PKEY_INDEX));
		completion.sourceLid = Short.toUnsignedInt(memory.getShort(offset + WorkCompletionLayout.SOURCE_LID));
		completion.serviceLevel = Byte.toUnsignedInt(memory.get(offset + WorkCompletionLayout.SERVICE_LEVEL));
		completion.destinationPathBits = Byte
			.toUnsignedInt(memory.get(offset + WorkCompletionLayout.DESTINATION_PATH_BITS));
	}

}
