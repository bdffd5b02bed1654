package io.github.rdmaboot.provider.jna;

/**
 * An IPv4 socket address.
 */
@CStruct("struct sockaddr_in")
final class SockaddrInLayout {

	static final int SIZE = 16;

	@CField(value = "sin_family", size = 2)
	static final int FAMILY = 0;

	@CField(value = "sin_port", size = 2)
	static final int PORT = 2;

	@CField(value = "sin_addr", size = 4)
	static final int ADDRESS = 4;

	private SockaddrInLayout() {
	}

}
