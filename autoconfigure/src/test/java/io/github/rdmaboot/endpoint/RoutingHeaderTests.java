package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RoutingHeader}, with headers as devices write them.
 */
class RoutingHeaderTests {

	private static final int OFFSET = 3;

	private static final byte[] LOCAL_GID = RoutingHeader.gid(TestSettings.literal("192.0.2.1"));

	private final ByteBuffer memory = ByteBuffer.allocateDirect(64);

	// What soft-RoCE writes: nothing, then the IPv4 header, whose checksum is 0 when the
	// packet never left the host.
	private void ipv4(String source, String destination, int checksum) {
		this.memory.put(OFFSET + 20, new byte[] { 0x45, 0, 0, 100, 0, 0, 0x40, 0, 64, 17 })
			.putShort(OFFSET + 30, (short) checksum)
			.put(OFFSET + 32, TestSettings.literal(source).getAddress())
			.put(OFFSET + 36, TestSettings.literal(destination).getAddress());
	}

	private void ipv6(byte[] source, byte[] destination) {
		this.memory.put(OFFSET, (byte) 0x60).put(OFFSET + 8, source).put(OFFSET + 24, destination);
	}

	private String source() {
		return RoutingHeader
			.address(RoutingHeader.sourceHigh(this.memory, OFFSET), RoutingHeader.sourceLow(this.memory, OFFSET))
			.getHostAddress();
	}

	private ByteBuffer answerable() {
		return RoutingHeader.answerable(this.memory, OFFSET, LOCAL_GID);
	}

	private static byte[] bytes(ByteBuffer header, int from, int length) {
		byte[] bytes = new byte[length];
		header.get(from, bytes);
		return bytes;
	}

	@Test
	void senderOfAnIpv4HeaderIsItsSource() {
		ipv4("198.51.100.7", "192.0.2.1", 0);
		assertThat(source()).isEqualTo("198.51.100.7");
		assertThat(bytes(answerable(), 32, 8)).isEqualTo(bytes(this.memory, OFFSET + 32, 8));
	}

	@Test
	void senderOfAnIpv6HeaderIsItsSource() {
		ipv6(TestSettings.literal("2001:db8::7").getAddress(), TestSettings.literal("2001:db8::1").getAddress());
		assertThat(source()).isEqualTo("2001:db8:0:0:0:0:0:7");
		assertThat(bytes(answerable(), 0, 40)).isEqualTo(bytes(this.memory, OFFSET, 40));
	}

	@Test
	void garbageBeforeAnIpv4HeaderIsNoIpv6Header() {
		this.memory.put(OFFSET, (byte) 0x6f).put(OFFSET + 9, (byte) 0x77);
		// The complement of the sum of the other nine words, 0x2b1b0.
		ipv4("198.51.100.7", "192.0.2.1", 0xffff - (0xb1b0 + 2));
		assertThat(source()).isEqualTo("198.51.100.7");
		assertThat(bytes(answerable(), 0, 20)).containsOnly(0);
	}

	@Test
	void addressThatLooksLikeAnIpv4HeaderIsNone() {
		ipv6(RoutingHeader.gid(TestSettings.literal("69.0.0.1")), RoutingHeader.gid(TestSettings.literal("192.0.2.1")));
		assertThat(source()).isEqualTo("69.0.0.1");
	}

	@Test
	void answerToWhatCameByAnIpv4GroupComesFromTheMember() {
		ipv4("198.51.100.7", "239.1.2.3", 0);
		assertThat(source()).isEqualTo("198.51.100.7");
		assertThat(bytes(answerable(), 36, 4)).containsExactly(192, 0, 2, 1);
	}

	@Test
	void answerToWhatCameByAnIpv6GroupComesFromTheMember() {
		ipv6(TestSettings.literal("2001:db8::7").getAddress(), TestSettings.literal("ff0e::1").getAddress());
		assertThat(bytes(answerable(), 24, 16)).isEqualTo(LOCAL_GID);
		ipv6(TestSettings.literal("2001:db8::7").getAddress(), RoutingHeader.gid(TestSettings.literal("239.1.2.3")));
		assertThat(bytes(answerable(), 24, 16)).isEqualTo(LOCAL_GID);
	}

}
