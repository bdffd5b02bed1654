package io.github.rdmaboot.provider.jna;

import io.github.rdmaboot.provider.CmEventData;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.QueuePairType;
import org.jspecify.annotations.Nullable;

/**
 * Copies a {@code struct rdma_cm_event}, whose memory is gone once it is acknowledged.
 */
final class CmEventReader {

	private static final byte[] NO_DATA = {};

	private CmEventReader() {
	}

	/**
	 * Copy an event.
	 * @param event the address of the event
	 * @return the copy
	 */
	static CmEventData read(long event) {
		int type = RawMemory.getInt(event + CmEventLayout.EVENT);
		int status = RawMemory.getInt(event + CmEventLayout.STATUS);
		long id = RawMemory.getLong(event + CmEventLayout.ID);
		long listenId = RawMemory.getLong(event + CmEventLayout.LISTEN_ID);
		if (isDatagram(id)) {
			byte[] privateData = privateData(type, event + CmEventLayout.UD_PRIVATE_DATA,
					event + CmEventLayout.UD_PRIVATE_DATA_LENGTH);
			return new CmEventData(event, type, status, id, listenId, privateData, 0, 0,
					RawMemory.getInt(event + CmEventLayout.UD_QP_NUM), RawMemory.getInt(event + CmEventLayout.UD_QKEY),
					AddressHandleAttributesCodec.decode(event + CmEventLayout.UD_AH_ATTR), context(type, event));
		}
		byte[] privateData = privateData(type, event + CmEventLayout.CONN_PRIVATE_DATA,
				event + CmEventLayout.CONN_PRIVATE_DATA_LENGTH);
		return new CmEventData(event, type, status, id, listenId, privateData,
				RawMemory.getUnsignedByte(event + CmEventLayout.CONN_RESPONDER_RESOURCES),
				RawMemory.getUnsignedByte(event + CmEventLayout.CONN_INITIATOR_DEPTH),
				RawMemory.getInt(event + CmEventLayout.CONN_QP_NUM), 0, null, 0);
	}

	private static boolean isDatagram(long id) {
		return id != 0 && RawMemory.getInt(id + CmIdLayout.QP_TYPE) == QueuePairType.UD.value();
	}

	private static byte[] privateData(int type, long pointerAddress, long lengthAddress) {
		if (!carriesPrivateData(CmEventType.of(type))) {
			return NO_DATA;
		}
		long pointer = RawMemory.getLong(pointerAddress);
		int length = RawMemory.getUnsignedByte(lengthAddress);
		return (pointer != 0 && length > 0) ? RawMemory.getBytes(pointer, length) : NO_DATA;
	}

	private static long context(int type, long event) {
		boolean multicast = type == CmEventType.MULTICAST_JOIN.value() || type == CmEventType.MULTICAST_ERROR.value();
		return multicast ? RawMemory.getLong(event + CmEventLayout.UD_PRIVATE_DATA) : 0;
	}

	// Multicast and user events have a number of the application in the pointer's place.
	private static boolean carriesPrivateData(@Nullable CmEventType type) {
		if (type == null) {
			return false;
		}
		return switch (type) {
			case CONNECT_REQUEST, CONNECT_RESPONSE, CONNECT_ERROR, UNREACHABLE, REJECTED, ESTABLISHED -> true;
			default -> false;
		};
	}

}
