package io.github.rdmaboot.provider.loopback;

import java.net.InetAddress;
import java.net.UnknownHostException;

import io.github.rdmaboot.provider.AddressHandleAttributes;

/**
 * Translates between IP addresses and GIDs as RoCE version 2 does: an IPv4 address is
 * mapped to IPv6.
 */
final class Gids {

	private static final int HOP_LIMIT = 64;

	private Gids() {
	}

	static byte[] of(InetAddress address) {
		byte[] bytes = address.getAddress();
		if (bytes.length == 16) {
			return bytes;
		}
		byte[] gid = new byte[16];
		gid[10] = (byte) 0xff;
		gid[11] = (byte) 0xff;
		System.arraycopy(bytes, 0, gid, 12, 4);
		return gid;
	}

	static InetAddress addressOf(byte[] gid) {
		try {
			return InetAddress.getByAddress(gid);
		}
		catch (UnknownHostException ex) {
			throw new IllegalArgumentException("A GID has 16 bytes, not " + gid.length, ex);
		}
	}

	static AddressHandleAttributes pathTo(InetAddress address) {
		return new AddressHandleAttributes(of(address), 0, 0, HOP_LIMIT, 0, 0, 0, 0, 0, true, 1);
	}

}
