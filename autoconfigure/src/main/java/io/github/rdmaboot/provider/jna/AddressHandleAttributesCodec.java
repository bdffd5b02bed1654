package io.github.rdmaboot.provider.jna;

import io.github.rdmaboot.provider.AddressHandleAttributes;

/**
 * Converts {@code struct ibv_ah_attr}.
 */
final class AddressHandleAttributesCodec {

	private AddressHandleAttributesCodec() {
	}

	static void encode(AddressHandleAttributes attributes, NativeBlock block, int base) {
		Gid.requireLength(attributes.dgid());
		block.putBytes(base + AddressHandleLayout.DGID, attributes.dgid())
			.putInt(base + AddressHandleLayout.FLOW_LABEL, attributes.flowLabel())
			.putByte(base + AddressHandleLayout.SGID_INDEX, attributes.sgidIndex())
			.putByte(base + AddressHandleLayout.HOP_LIMIT, attributes.hopLimit())
			.putByte(base + AddressHandleLayout.TRAFFIC_CLASS, attributes.trafficClass())
			.putShort(base + AddressHandleLayout.DLID, attributes.dlid())
			.putByte(base + AddressHandleLayout.SERVICE_LEVEL, attributes.serviceLevel())
			.putByte(base + AddressHandleLayout.SOURCE_PATH_BITS, attributes.sourcePathBits())
			.putByte(base + AddressHandleLayout.STATIC_RATE, attributes.staticRate())
			.putByte(base + AddressHandleLayout.IS_GLOBAL, attributes.global() ? 1 : 0)
			.putByte(base + AddressHandleLayout.PORT_NUM, attributes.portNum());
	}

	static AddressHandleAttributes decode(long address) {
		return new AddressHandleAttributes(RawMemory.getBytes(address + AddressHandleLayout.DGID, Gid.LENGTH),
				RawMemory.getInt(address + AddressHandleLayout.FLOW_LABEL),
				RawMemory.getUnsignedByte(address + AddressHandleLayout.SGID_INDEX),
				RawMemory.getUnsignedByte(address + AddressHandleLayout.HOP_LIMIT),
				RawMemory.getUnsignedByte(address + AddressHandleLayout.TRAFFIC_CLASS),
				RawMemory.getUnsignedShort(address + AddressHandleLayout.DLID),
				RawMemory.getUnsignedByte(address + AddressHandleLayout.SERVICE_LEVEL),
				RawMemory.getUnsignedByte(address + AddressHandleLayout.SOURCE_PATH_BITS),
				RawMemory.getUnsignedByte(address + AddressHandleLayout.STATIC_RATE),
				RawMemory.getByte(address + AddressHandleLayout.IS_GLOBAL) != 0,
				RawMemory.getUnsignedByte(address + AddressHandleLayout.PORT_NUM));
	}

}
