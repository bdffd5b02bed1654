package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class MessageFragmentsTests {

	private static final int BUFFER = 16 * 1024;

	private final MessageFragments fragments = new MessageFragments(20 * 1024);

	private static ByteBuffer fragment(int length) {
		return ByteBuffer.allocate(length);
	}

	private void assertTooLarge(int length, int immediate) {
		assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> this.fragments.add(fragment(length), immediate))
			.withMessageContaining("more than messages.max-size, which is 20KB")
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EPROTO.value()));
	}

	@Test
	void largestMessageTakesNoMoreRoomThanItNeeds() {
		assertThat(this.fragments.add(fragment(BUFFER), MessageHeader.MORE)).isNull();

		ByteBuffer message = this.fragments.add(fragment(4 * 1024), 0);

		assertThat(message.remaining()).as("length").isEqualTo(20 * 1024);
		assertThat(message.capacity()).as("room").isEqualTo(20 * 1024);
	}

	@Test
	void messageThatIsLargerThanTheLargestIsRefusedAlthoughFourBuffersWouldHoldIt() {
		this.fragments.add(fragment(BUFFER), MessageHeader.MORE);

		assertTooLarge(4 * 1024 + 1, 0);

		assertThat(this.fragments.isWhole(1, 0)).as("a fragment that follows is a message").isFalse();
		assertThat(this.fragments.add(fragment(1), 0)).as("message after a failure").isNull();
	}

	@Test
	void fragmentThatIsTooLargeByItselfIsRefused() {
		assertThat(this.fragments.isWhole(20 * 1024, 0)).as("the largest is a message").isTrue();
		assertThat(this.fragments.isWhole(20 * 1024 + 1, 0)).as("a larger one is a message").isFalse();

		assertTooLarge(20 * 1024 + 1, 0);
	}

	@Test
	void firstFragmentThatIsTooLargeByItselfIsRefused() {
		assertTooLarge(20 * 1024 + 1, MessageHeader.MORE);
	}

}
