package io.github.rdmaboot.endpoint;

import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RemoteMemoryTests {

	private static final RemoteMemory MEMORY = new RemoteMemory(0x0102_0304_0506_0708L, 0x090a_0b0c, 0x1000);

	@Test
	void isEncodedInTwentyBigEndianBytesWhateverTheOrderOfTheBuffer() {
		for (ByteOrder order : new ByteOrder[] { ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN }) {
			ByteBuffer buffer = ByteBuffer.allocate(24).order(order).position(2);

			MEMORY.writeTo(buffer);

			assertThat(buffer.position()).isEqualTo(22);
			assertThat(HexFormat.of().formatHex(buffer.array(), 2, 22)).as("%s", order)
				.isEqualTo("0102030405060708090a0b0c0000000000001000");
			assertThat(RemoteMemory.readFrom(buffer.position(2))).isEqualTo(MEMORY);
			assertThat(buffer.position()).isEqualTo(22);
		}
	}

	@Test
	void leavesBuffersAloneThatAreTooSmall() {
		ByteBuffer buffer = ByteBuffer.allocate(RemoteMemory.ENCODED_LENGTH - 1);

		assertThatExceptionOfType(BufferOverflowException.class).isThrownBy(() -> MEMORY.writeTo(buffer));
		assertThatExceptionOfType(BufferUnderflowException.class).isThrownBy(() -> RemoteMemory.readFrom(buffer));
		assertThat(buffer.position()).isZero();
	}

	@Test
	void refusesBytesThatDescribeNoMemory() {
		ByteBuffer negative = ByteBuffer.allocate(20).putLong(4096).putInt(1).putLong(-1).flip();
		ByteBuffer wrapping = ByteBuffer.allocate(20).putLong(-4096).putInt(1).putLong(4097).flip();

		assertThatIllegalArgumentException().isThrownBy(() -> RemoteMemory.readFrom(negative))
			.withMessageContaining("-1 bytes at address 0x1000");
		assertThatIllegalArgumentException().isThrownBy(() -> RemoteMemory.readFrom(wrapping))
			.withMessageContaining("4097 bytes at address 0xfffffffffffff000");
	}

	@Test
	void mayEndWhereTheAddressSpaceEndsAndLieInItsUpperHalf() {
		assertThat(new RemoteMemory(-4096, 1, 4096).addressOf(4095, 1)).isEqualTo(-1);
		assertThat(new RemoteMemory(Long.MAX_VALUE, 1, 2).addressOf(1, 1)).isEqualTo(Long.MIN_VALUE);
	}

	@Test
	void slicesKeepTheKeyAndStayInside() {
		assertThat(MEMORY.slice(0x10, 0x20)).isEqualTo(new RemoteMemory(MEMORY.address() + 0x10, MEMORY.rkey(), 0x20));
		assertThat(MEMORY.slice(0x1000, 0).length()).isZero();
		assertThat(MEMORY.slice(0, 0x1000)).isEqualTo(MEMORY);
	}

	@Test
	void refusesPartsThatAreNotInsideAlsoWhenTheirEndOverflows() {
		long[][] parts = { { -1, 1 }, { 0, -1 }, { 0, 0x1001 }, { 0x1001, 0 }, { 0xfff, 2 }, { Long.MAX_VALUE, 1 },
				{ 1, Long.MAX_VALUE }, { Long.MIN_VALUE, Long.MIN_VALUE } };

		for (long[] part : parts) {
			assertThatExceptionOfType(IndexOutOfBoundsException.class).as("offset %d, length %d", part[0], part[1])
				.isThrownBy(() -> MEMORY.slice(part[0], part[1]))
				.withMessage("%d bytes from offset %d are not inside 4096 bytes of remote memory", part[1], part[0]);
		}
	}

}
