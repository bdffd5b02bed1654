package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.CompletionStatus;
import org.jspecify.annotations.Nullable;

/**
 * What the status of a failed work request most likely means for those who run the
 * application.
 */
final class CompletionHints {

	private CompletionHints() {
	}

	/**
	 * Return the hint.
	 * @param status the status, or {@code null} for one that is not known
	 * @param operation the operation that ended with it
	 * @return the end of a sentence, or an empty text if the status alone tells nothing
	 */
	static String of(@Nullable CompletionStatus status, CompletionOpcode operation) {
		if (status == null) {
			return "";
		}
		return switch (status) {
			case LOC_LEN_ERR -> ": the peer's message is larger than memory.buffer-size of this side";
			case LOC_PROT_ERR -> ": the local memory is not registered for this access";
			case REM_ACCESS_ERR ->
				": the peer's memory has another key, ends before, does not permit this or was released";
			case REM_INV_REQ_ERR, REM_OP_ERR -> refusal(operation);
			case RETRY_EXC_ERR ->
				": the peer does not answer; it is dead, or a firewall (UDP 4791 of RoCE) or the MTU stops packets";
			case RNR_RETRY_EXC_ERR -> ": the peer posts no receives; it is too slow or does not read at all";
			default -> "";
		};
	}

	private static String refusal(CompletionOpcode operation) {
		return switch (operation) {
			case SEND -> ": most likely the message is larger than the buffers of the peer, its memory.buffer-size";
			case RDMA_READ, COMP_SWAP, FETCH_ADD ->
				": most likely the peer serves no reads and atomics, its connection.responder-resources";
			default -> ": the peer refused the request";
		};
	}

}
