package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import org.jspecify.annotations.Nullable;

/**
 * What a send request does, as far as the loopback tells operations apart.
 */
enum Operation {

	WRITE(WorkRequestOpcode.RDMA_WRITE, CompletionOpcode.RDMA_WRITE),

	WRITE_WITH_IMMEDIATE(WorkRequestOpcode.RDMA_WRITE_WITH_IMM, CompletionOpcode.RDMA_WRITE),

	SEND(WorkRequestOpcode.SEND, CompletionOpcode.SEND),

	SEND_WITH_IMMEDIATE(WorkRequestOpcode.SEND_WITH_IMM, CompletionOpcode.SEND),

	READ(WorkRequestOpcode.RDMA_READ, CompletionOpcode.RDMA_READ),

	COMPARE_AND_SWAP(WorkRequestOpcode.ATOMIC_CMP_AND_SWP, CompletionOpcode.COMP_SWAP),

	FETCH_AND_ADD(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, CompletionOpcode.FETCH_ADD);

	private static final Operation[] VALUES = values();

	private final int opcode;

	private final int completionOpcode;

	Operation(WorkRequestOpcode opcode, CompletionOpcode completionOpcode) {
		this.opcode = opcode.value();
		this.completionOpcode = completionOpcode.value();
	}

	static @Nullable Operation of(int opcode) {
		for (Operation candidate : VALUES) {
			if (candidate.opcode == opcode) {
				return candidate;
			}
		}
		return null;
	}

	int completionOpcode() {
		return this.completionOpcode;
	}

	boolean isSend() {
		return this == SEND || this == SEND_WITH_IMMEDIATE;
	}

	boolean isAtomic() {
		return this == COMPARE_AND_SWAP || this == FETCH_AND_ADD;
	}

	boolean hasImmediate() {
		return this == SEND_WITH_IMMEDIATE || this == WRITE_WITH_IMMEDIATE;
	}

	/**
	 * Tell whether the peer needs a receive for it.
	 * @return whether it does
	 */
	boolean takesReceive() {
		return isSend() || this == WRITE_WITH_IMMEDIATE;
	}

	/**
	 * Tell whether the peer's answer brings data.
	 * @return whether it does
	 */
	boolean fetches() {
		return this == READ || isAtomic();
	}

}
