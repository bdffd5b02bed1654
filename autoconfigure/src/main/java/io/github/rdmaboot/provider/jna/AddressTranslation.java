package io.github.rdmaboot.provider.jna;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.github.rdmaboot.provider.AddressInfo;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.QueuePairType;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Translates names with {@code rdma_getaddrinfo}, which reports errors as errno or as a
 * code of the name service.
 */
final class AddressTranslation {

	private static final String CALL = "rdma_getaddrinfo";

	private static final int EAI_NONAME = -2;

	private static final int EAI_AGAIN = -3;

	private static final int EAI_MEMORY = -10;

	private AddressTranslation() {
	}

	static List<AddressInfo> translate(@Nullable String node, @Nullable String service, int flags,
			PortSpace portSpace) {
		try (NativeBlock hints = new NativeBlock(AddressInfoLayout.SIZE);
				NativeBlock result = new NativeBlock(Long.BYTES);
				NativeBlock nodeText = text(node);
				NativeBlock serviceText = text(service)) {
			hints.putInt(AddressInfoLayout.FLAGS, flags)
				.putInt(AddressInfoLayout.QP_TYPE, queuePairType(portSpace).value())
				.putInt(AddressInfoLayout.PORT_SPACE, portSpace.value());
			int code = Librdmacm.rdma_getaddrinfo((nodeText != null) ? nodeText.address() : 0,
					(serviceText != null) ? serviceText.address() : 0, hints.address(), result.address());
			CallOutcome.requireNotMinusOne(CALL, code);
			if (code != 0) {
				throw nameServiceFailure(code);
			}
			long first = result.getLong(0);
			try {
				return read(first);
			}
			finally {
				Librdmacm.rdma_freeaddrinfo(first);
			}
		}
	}

	private static List<AddressInfo> read(long first) {
		List<AddressInfo> addresses = new ArrayList<>();
		for (long info = first; info != 0; info = RawMemory.getLong(info + AddressInfoLayout.NEXT)) {
			addresses
				.add(new AddressInfo(SocketAddresses.decode(RawMemory.getLong(info + AddressInfoLayout.SOURCE_ADDRESS)),
						SocketAddresses.decode(RawMemory.getLong(info + AddressInfoLayout.DESTINATION_ADDRESS))));
		}
		return List.copyOf(addresses);
	}

	private static QueuePairType queuePairType(PortSpace portSpace) {
		return switch (portSpace) {
			case UDP, IPOIB -> QueuePairType.UD;
			case TCP, IB -> QueuePairType.RC;
		};
	}

	private static @Nullable NativeBlock text(@Nullable String text) {
		if (text == null) {
			return null;
		}
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		return NativeBlock.filled(bytes.length + 1, (block) -> block.putBytes(0, bytes));
	}

	private static RdmaException nameServiceFailure(int code) {
		Errno errno = switch (code) {
			case EAI_NONAME -> Errno.ENOENT;
			case EAI_AGAIN -> Errno.EAGAIN;
			case EAI_MEMORY -> Errno.ENOMEM;
			default -> Errno.EINVAL;
		};
		return new RdmaException(CALL, errno.value(), CALL + " failed with " + errno.name() + ": name service code "
				+ code + ", " + RawMemory.getString(Libc.gai_strerror(code)));
	}

}
