package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.CompletionStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CompletionHints}.
 */
class CompletionHintsTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			LOC_LEN_ERR       | RECV       | memory.buffer-size of this side
			LOC_PROT_ERR      | RDMA_READ  | not registered for this access
			REM_INV_REQ_ERR   | SEND       | buffers of the peer
			REM_OP_ERR        | SEND       | buffers of the peer
			REM_INV_REQ_ERR   | RDMA_READ  | connection.responder-resources
			REM_INV_REQ_ERR   | FETCH_ADD  | connection.responder-resources
			REM_OP_ERR        | RDMA_WRITE | refused
			REM_ACCESS_ERR    | RDMA_WRITE | was released
			RETRY_EXC_ERR     | SEND       | UDP 4791
			RNR_RETRY_EXC_ERR | SEND       | posts no receives
			""")
	void statusWithACommonCauseNamesIt(CompletionStatus status, CompletionOpcode operation, String hint) {
		assertThat(CompletionHints.of(status, operation)).startsWith(": ").contains(hint);
	}

	@Test
	void statusThatTellsNothingHasNoHint() {
		assertThat(CompletionHints.of(CompletionStatus.GENERAL_ERR, CompletionOpcode.SEND)).isEmpty();
		assertThat(CompletionHints.of(null, CompletionOpcode.SEND)).isEmpty();
	}

}
