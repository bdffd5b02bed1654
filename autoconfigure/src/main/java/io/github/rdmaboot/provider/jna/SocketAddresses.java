package io.github.rdmaboot.provider.jna;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

import org.jspecify.annotations.Nullable;

/**
 * Converts between Java's socket addresses and C's.
 */
final class SocketAddresses {

	static final int AF_INET = 2;

	static final int AF_INET6 = 10;

	private static final int IPV4_LENGTH = 4;

	private static final int IPV6_LENGTH = 16;

	private SocketAddresses() {
	}

	/**
	 * Encode an address.
	 * @param address the address, resolved
	 * @return a {@code struct sockaddr_in} or {@code struct sockaddr_in6}, to be closed
	 */
	static NativeBlock encode(InetSocketAddress address) {
		InetAddress host = address.getAddress();
		if (host == null) {
			throw new IllegalArgumentException(
					"Address '" + address + "' is not resolved; give an IP address or a host name that resolves");
		}
		if (host instanceof Inet6Address inet6Address) {
			return NativeBlock.filled(SockaddrIn6Layout.SIZE, (block) -> {
				putPort(block, SockaddrIn6Layout.PORT, address.getPort());
				block.putShort(SockaddrIn6Layout.FAMILY, AF_INET6)
					.putBytes(SockaddrIn6Layout.ADDRESS, inet6Address.getAddress())
					.putInt(SockaddrIn6Layout.SCOPE_ID, inet6Address.getScopeId());
			});
		}
		return NativeBlock.filled(SockaddrInLayout.SIZE, (block) -> {
			putPort(block, SockaddrInLayout.PORT, address.getPort());
			block.putShort(SockaddrInLayout.FAMILY, AF_INET)
				.putBytes(SockaddrInLayout.ADDRESS, ((Inet4Address) host).getAddress());
		});
	}

	/**
	 * Decode an address.
	 * @param address the address of a {@code struct sockaddr} or 0
	 * @return the socket address, or {@code null} when there is none or it is not of the
	 * Internet
	 */
	static @Nullable InetSocketAddress decode(long address) {
		if (address == 0) {
			return null;
		}
		return switch (RawMemory.getShort(address + SockaddrInLayout.FAMILY)) {
			case AF_INET ->
				new InetSocketAddress(inetAddress(RawMemory.getBytes(address + SockaddrInLayout.ADDRESS, IPV4_LENGTH)),
						getPort(address + SockaddrInLayout.PORT));
			case AF_INET6 -> new InetSocketAddress(
					inet6Address(RawMemory.getBytes(address + SockaddrIn6Layout.ADDRESS, IPV6_LENGTH),
							RawMemory.getInt(address + SockaddrIn6Layout.SCOPE_ID)),
					getPort(address + SockaddrIn6Layout.PORT));
			default -> null;
		};
	}

	private static InetAddress inetAddress(byte[] address) {
		try {
			return InetAddress.getByAddress(address);
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException("An address of " + address.length + " bytes was refused", ex);
		}
	}

	private static InetAddress inet6Address(byte[] address, int scopeId) {
		if (scopeId == 0) {
			return inetAddress(address);
		}
		try {
			return Inet6Address.getByAddress(null, address, scopeId);
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException("An address of " + address.length + " bytes was refused", ex);
		}
	}

	// Ports are in network order, whatever the order of the machine.
	private static void putPort(NativeBlock block, int offset, int port) {
		block.putByte(offset, port >>> Byte.SIZE).putByte(offset + 1, port);
	}

	private static int getPort(long address) {
		return RawMemory.getUnsignedByte(address) << Byte.SIZE | RawMemory.getUnsignedByte(address + 1);
	}

}
