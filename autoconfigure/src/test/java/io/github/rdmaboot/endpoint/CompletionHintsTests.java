package io.github.rdmaboot.endpoint;

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
			LOC_LEN_ERR       | memory.buffer-size of this side
			REM_INV_REQ_ERR   | buffers of the peer
			REM_OP_ERR        | buffers of the peer
			RETRY_EXC_ERR     | UDP 4791
			RNR_RETRY_EXC_ERR | posts no receives
			""")
	void statusWithACommonCauseNamesIt(CompletionStatus status, String hint) {
		assertThat(CompletionHints.of(status)).startsWith(": ").contains(hint);
	}

	@Test
	void statusThatTellsNothingHasNoHint() {
		assertThat(CompletionHints.of(CompletionStatus.GENERAL_ERR)).isEmpty();
		assertThat(CompletionHints.of(null)).isEmpty();
	}

}
