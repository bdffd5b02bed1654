package io.github.rdmaboot.provider.jna;

import java.nio.charset.StandardCharsets;

import io.github.rdmaboot.provider.DeviceAttributes;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.PortAttributes;
import io.github.rdmaboot.provider.RdmaException;

/**
 * Queries of a device and its ports.
 */
final class DeviceQueries {

	private static final int FIRMWARE_VERSION_LENGTH = 64;

	private static final int MAX_PORT = 255;

	// More than any version writes, as the structure grew at its end.
	private static final int PORT_ATTRIBUTES_ROOM = 64;

	private DeviceQueries() {
	}

	static DeviceAttributes device(long context) {
		try (NativeBlock block = new NativeBlock(DeviceAttributesLayout.SIZE)) {
			CallOutcome.requireZero("ibv_query_device", Libibverbs.ibv_query_device(context, block.address()));
			return new DeviceAttributes(firmwareVersion(block),
					NetworkOrder.convert(block.getLong(DeviceAttributesLayout.NODE_GUID)),
					block.getInt(DeviceAttributesLayout.VENDOR_ID), block.getInt(DeviceAttributesLayout.VENDOR_PART_ID),
					block.getInt(DeviceAttributesLayout.HARDWARE_VERSION),
					block.getLong(DeviceAttributesLayout.MAX_MR_SIZE), block.getInt(DeviceAttributesLayout.MAX_QP),
					block.getInt(DeviceAttributesLayout.MAX_QP_WR), block.getInt(DeviceAttributesLayout.MAX_SGE),
					block.getInt(DeviceAttributesLayout.MAX_CQ), block.getInt(DeviceAttributesLayout.MAX_CQE),
					block.getInt(DeviceAttributesLayout.MAX_MR), block.getInt(DeviceAttributesLayout.MAX_PD),
					block.getInt(DeviceAttributesLayout.MAX_QP_RD_ATOM),
					block.getInt(DeviceAttributesLayout.MAX_QP_INIT_RD_ATOM),
					block.getInt(DeviceAttributesLayout.ATOMIC_CAPABILITY),
					block.getInt(DeviceAttributesLayout.MAX_MULTICAST_GROUPS),
					block.getInt(DeviceAttributesLayout.MAX_AH), block.getInt(DeviceAttributesLayout.MAX_SRQ),
					block.getInt(DeviceAttributesLayout.MAX_SRQ_WR), block.getInt(DeviceAttributesLayout.MAX_SRQ_SGE),
					block.getUnsignedByte(DeviceAttributesLayout.PHYSICAL_PORTS));
		}
	}

	private static String firmwareVersion(NativeBlock block) {
		byte[] text = block.getBytes(DeviceAttributesLayout.FIRMWARE_VERSION, FIRMWARE_VERSION_LENGTH);
		int length = 0;
		while (length < text.length && text[length] != 0) {
			length++;
		}
		return new String(text, 0, length, StandardCharsets.UTF_8);
	}

	static PortAttributes port(long context, int port) {
		requirePort("ibv_query_port", port);
		try (NativeBlock block = new NativeBlock(PORT_ATTRIBUTES_ROOM)) {
			CallOutcome.requireZero("ibv_query_port", Libibverbs.ibv_query_port(context, port, block.address()));
			return new PortAttributes(block.getInt(PortAttributesLayout.STATE),
					block.getInt(PortAttributesLayout.MAX_MTU), block.getInt(PortAttributesLayout.ACTIVE_MTU),
					block.getInt(PortAttributesLayout.GID_TABLE_LENGTH),
					block.getInt(PortAttributesLayout.MAX_MESSAGE_SIZE),
					block.getUnsignedShort(PortAttributesLayout.PKEY_TABLE_LENGTH),
					block.getUnsignedShort(PortAttributesLayout.LID),
					block.getUnsignedShort(PortAttributesLayout.SUBNET_MANAGER_LID),
					block.getUnsignedByte(PortAttributesLayout.ACTIVE_WIDTH),
					block.getUnsignedByte(PortAttributesLayout.ACTIVE_SPEED),
					block.getUnsignedByte(PortAttributesLayout.PHYSICAL_STATE),
					block.getUnsignedByte(PortAttributesLayout.LINK_LAYER));
		}
	}

	static byte[] gid(long context, int port, int index) {
		requirePort("ibv_query_gid", port);
		try (NativeBlock block = new NativeBlock(Gid.LENGTH)) {
			CallOutcome.requireNotMinusOne("ibv_query_gid",
					Libibverbs.ibv_query_gid(context, port, index, block.address()));
			return block.getBytes(0, Gid.LENGTH);
		}
	}

	static int pkey(long context, int port, int index) {
		requirePort("ibv_query_pkey", port);
		try (NativeBlock block = new NativeBlock(Short.BYTES)) {
			CallOutcome.requireNotMinusOne("ibv_query_pkey",
					Libibverbs.ibv_query_pkey(context, port, index, block.address()));
			return Short.toUnsignedInt(NetworkOrder.convert(RawMemory.getShort(block.address())));
		}
	}

	// C takes a port as a byte, so that 257 would silently be port 1.
	private static void requirePort(String call, int port) {
		if (port < 1 || port > MAX_PORT) {
			throw new RdmaException(call, Errno.EINVAL.value(), call + " failed with "
					+ Errno.describe(Errno.EINVAL.value()) + ": port " + port + " is not from 1 to " + MAX_PORT);
		}
	}

}
