package io.github.rdmaboot.provider.jna;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class CallPathTests {

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = "auto")
	void theForeignFunctionApiIsTakenWhereItIs(String wish) {
		assertThat(CallPath.choose(wish, true)).isEqualTo(CallPath.FOREIGN);
		assertThat(CallPath.choose(wish, false)).isEqualTo(CallPath.JNA);
	}

	@Test
	void jnaIsTakenOnRequest() {
		assertThat(CallPath.choose("jna", true)).isEqualTo(CallPath.JNA);
		assertThat(CallPath.choose("jna", false)).isEqualTo(CallPath.JNA);
	}

	@Test
	void aRequestThatIsNotKnownIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> CallPath.choose("ffm", true))
			.withMessageContaining(CallPath.PROPERTY)
			.withMessageContaining("'ffm'")
			.withMessageContaining("'jna'");
	}

	@Test
	void theWayThatIsTakenCallsFunctions() {
		SelfCheck.requireCallsThroughPointers(CallPath.choose().calls());
	}

}
