package io.github.rdmaboot.provider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CmEventStatus}.
 */
class CmEventStatusTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			REJECTED       | 8    | ECONNREFUSED | nobody listens on this port
			UNREACHABLE    | -110 | ETIMEDOUT    | ETIMEDOUT
			UNREACHABLE    | 1    | ECONNREFUSED | no datagram service on this port
			UNREACHABLE    | 2    | ECONNREFUSED | rejected by the service
			UNREACHABLE    | 9    | ECONNREFUSED | status 9 (unknown answer)
			DEVICE_REMOVAL | 0    | ENXIO        | status 0
			""")
	void statusHasAMeaningAndAnErrno(CmEventType type, int status, Errno errno, String meaning) {
		assertThat(CmEventStatus.errno(type.value(), status)).isEqualTo(errno.value());
		assertThat(CmEventStatus.describe(type.value(), status)).contains(meaning);
	}

	@Test
	void unknownFailureIsAProtocolError() {
		assertThat(CmEventStatus.errno(CmEventType.CONNECT_ERROR.value(), 3)).isEqualTo(Errno.EPROTO.value());
	}

}
