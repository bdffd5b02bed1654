package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * The 40 bytes in front of a received datagram: a global routing header, which is an IPv6
 * header in shape, or 20 bytes without meaning and an IPv4 header.
 */
final class RoutingHeader {

	static final int LENGTH = 40;

	private static final int GID_LENGTH = 16;

	private static final int SOURCE_GID = 8;

	private static final int DESTINATION_GID = 24;

	private static final int IPV4 = 20;

	private static final int SOURCE_IPV4 = 32;

	private static final int DESTINATION_IPV4 = 36;

	private static final long IPV4_MAPPED = 0xffff_0000_0000L;

	private RoutingHeader() {
	}

	// Return the first half of the sender's GID. The memory must be in big-endian order.
	static long sourceHigh(ByteBuffer memory, int offset) {
		return isIpv4(memory, offset) ? 0 : memory.getLong(offset + SOURCE_GID);
	}

	// Return the second half of the sender's GID.
	static long sourceLow(ByteBuffer memory, int offset) {
		return isIpv4(memory, offset) ? IPV4_MAPPED | Integer.toUnsignedLong(memory.getInt(offset + SOURCE_IPV4))
				: memory.getLong(offset + SOURCE_GID + Long.BYTES);
	}

	static InetAddress address(long high, long low) {
		return address(ByteBuffer.allocate(GID_LENGTH).putLong(high).putLong(low).array());
	}

	// Return a GID as an address, which it is on Ethernet.
	static InetAddress address(byte[] gid) {
		try {
			return InetAddress.getByAddress(gid);
		}
		catch (UnknownHostException ex) {
			throw new IllegalArgumentException("A GID has 16 bytes, not " + gid.length, ex);
		}
	}

	static byte[] gid(InetAddress address) {
		byte[] bytes = address.getAddress();
		return (bytes.length == GID_LENGTH) ? bytes
				: ByteBuffer.allocate(GID_LENGTH).putLong(0).putInt(0xffff).put(bytes).array();
	}

	// Return a copy of the header that an address handle can be made of: one that answers
	// what was sent to a multicast group has to name the group's member as destination,
	// for no local GID is that of the group.
	static ByteBuffer answerable(ByteBuffer memory, int offset, byte[] localGid) {
		ByteBuffer header = ByteBuffer.allocateDirect(LENGTH);
		header.put(0, memory, offset, LENGTH);
		if (isIpv4(memory, offset)) {
			header.put(0, new byte[IPV4]);
			if (isMulticastIpv4(header.get(DESTINATION_IPV4))) {
				header.put(DESTINATION_IPV4, localGid, GID_LENGTH - Integer.BYTES, Integer.BYTES);
			}
		}
		else if (isMulticast(header)) {
			header.put(DESTINATION_GID, localGid);
		}
		return header;
	}

	private static boolean isMulticast(ByteBuffer header) {
		boolean mapped = header.getLong(DESTINATION_GID) == 0 && header.getInt(DESTINATION_GID + Long.BYTES) == 0xffff;
		return header.get(DESTINATION_GID) == (byte) 0xff
				|| (mapped && isMulticastIpv4(header.get(DESTINATION_GID + GID_LENGTH - Integer.BYTES)));
	}

	private static boolean isMulticastIpv4(byte first) {
		return (first & 0xf0) == 0xe0;
	}

	// What comes before an IPv4 header is undefined and may look like the begin of the
	// other kind; then the checksum decides, as in libibverbs.
	private static boolean isIpv4(ByteBuffer memory, int offset) {
		boolean looksLikeIpv6 = (memory.get(offset) & 0xf0) == 0x60;
		boolean looksLikeIpv4 = (memory.get(offset + IPV4) & 0xff) == 0x45;
		return looksLikeIpv4 && (!looksLikeIpv6 || hasIpv4Checksum(memory, offset + IPV4));
	}

	private static boolean hasIpv4Checksum(ByteBuffer memory, int offset) {
		int sum = 0;
		for (int i = 0; i < LENGTH - IPV4; i += Short.BYTES) {
			sum += Short.toUnsignedInt(memory.getShort(offset + i));
		}
		return (sum & 0xffff) + (sum >>> 16) == 0xffff;
	}

}
