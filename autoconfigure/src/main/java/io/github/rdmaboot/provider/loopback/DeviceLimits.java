package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.DeviceAttributes;
import io.github.rdmaboot.provider.LinkLayer;
import io.github.rdmaboot.provider.PortAttributes;
import io.github.rdmaboot.provider.PortState;

/**
 * Limits of the loopback's device, those of soft-RoCE where it has any.
 */
final class DeviceLimits {

	static final String NAME = "loop0";

	static final long GUID = 0x0200_5eff_fe00_0001L;

	static final int MAX_READ_ATOMIC = 128;

	static final int MAX_WR = 1 << 20;

	static final int MAX_SGE = 32;

	static final int MAX_CQE = 32767;

	static final int MAX_INLINE = 512;

	static final int MAX_MESSAGE = 0x800000;

	static final int PKEY = 0xffff;

	/** Bytes of a datagram at most. */
	static final int MTU = 4096;

	private static final int MTU_4096 = 5;

	private static final int LINK_UP = 5;

	private DeviceLimits() {
	}

	static DeviceAttributes device() {
		return new DeviceAttributes("loopback", GUID, 0, 0, 0, Long.MAX_VALUE, 1 << 20, MAX_WR, MAX_SGE, 1 << 20,
				MAX_CQE, 1 << 20, 1 << 20, MAX_READ_ATOMIC, MAX_READ_ATOMIC, 1, 8192, 1 << 20, 1 << 20, MAX_WR, MAX_SGE,
				1);
	}

	static PortAttributes port(int gids) {
		return new PortAttributes(PortState.ACTIVE.value(), MTU_4096, MTU_4096, gids, MAX_MESSAGE, 1, 0, 0, 1, 1,
				LINK_UP, LinkLayer.ETHERNET.value());
	}

}
