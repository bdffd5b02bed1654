package io.github.rdmaboot.provider.jna;

/**
 * An IPv6 socket address.
 */
@CStruct("struct sockaddr_in6")
final class SockaddrIn6Layout {

	static final int SIZE = 28;

	@CField(value = "sin6_family", size = 2)
	static final int FAMILY = 0;

	@CField(value = "sin6_port", size = 2)
	static final int PORT = 2;

	@CField(value = "sin6_flowinfo", size = 4)
	static final int FLOW_INFO = 4;

	@CField(value = "sin6_addr", size = 16)
	static final int ADDRESS = 8;

	@CField(value = "sin6_scope_id", size = 4)
	static final int SCOPE_ID = 24;

	private SockaddrIn6Layout() {
	}

}
