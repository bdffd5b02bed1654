package io.github.rdmaboot.provider.jna;

import io.github.rdmaboot.provider.CmEventData;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.QueuePairType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CmEventReaderTests {

	private final NativeBlock id = new NativeBlock(CmIdLayout.SIZE);

	private final NativeBlock event = new NativeBlock(CmEventLayout.SIZE);

	private final NativeBlock data = new NativeBlock(256);

	@AfterEach
	void free() {
		this.id.close();
		this.event.close();
		this.data.close();
	}

	@Test
	void aConnectionRequestIsCopiedWithItsData() {
		this.id.putInt(CmIdLayout.QP_TYPE, QueuePairType.RC.value());
		this.data.putBytes(0, new byte[] { 1, 2, 3 });
		this.event.putLong(CmEventLayout.ID, this.id.address())
			.putLong(CmEventLayout.LISTEN_ID, 99)
			.putInt(CmEventLayout.EVENT, CmEventType.CONNECT_REQUEST.value())
			.putLong(CmEventLayout.CONN_PRIVATE_DATA, this.data.address())
			.putByte(CmEventLayout.CONN_PRIVATE_DATA_LENGTH, 196)
			.putByte(CmEventLayout.CONN_RESPONDER_RESOURCES, 200)
			.putByte(CmEventLayout.CONN_INITIATOR_DEPTH, 3)
			.putInt(CmEventLayout.CONN_QP_NUM, 17);
		CmEventData copy = CmEventReader.read(this.event.address());
		assertThat(copy.event()).isEqualTo(this.event.address());
		assertThat(copy.id()).isEqualTo(this.id.address());
		assertThat(copy.listenId()).isEqualTo(99);
		assertThat(copy.privateData()).hasSize(196).startsWith(1, 2, 3, 0);
		assertThat(copy.responderResources()).isEqualTo(200);
		assertThat(copy.initiatorDepth()).isEqualTo(3);
		assertThat(copy.qpNum()).isEqualTo(17);
		assertThat(copy.address()).isNull();
	}

	@Test
	void aDatagramPeerIsCopiedWithItsAddress() {
		this.id.putInt(CmIdLayout.QP_TYPE, QueuePairType.UD.value());
		this.event.putLong(CmEventLayout.ID, this.id.address())
			.putInt(CmEventLayout.EVENT, CmEventType.ESTABLISHED.value())
			.putInt(CmEventLayout.STATUS, -110)
			.putInt(CmEventLayout.UD_QP_NUM, 17)
			.putInt(CmEventLayout.UD_QKEY, 0x01234567)
			.putByte(CmEventLayout.UD_AH_ATTR + AddressHandleLayout.IS_GLOBAL, 1)
			.putByte(CmEventLayout.UD_AH_ATTR + AddressHandleLayout.HOP_LIMIT, 255);
		CmEventData copy = CmEventReader.read(this.event.address());
		assertThat(copy.status()).isEqualTo(-110);
		assertThat(copy.qpNum()).isEqualTo(17);
		assertThat(copy.qkey()).isEqualTo(0x01234567);
		assertThat(copy.address().global()).isTrue();
		assertThat(copy.address().hopLimit()).isEqualTo(255);
		assertThat(copy.privateData()).isEmpty();
	}

	@Test
	void theNumberOfAMulticastEventIsCopiedAndNotTakenForData() {
		this.id.putInt(CmIdLayout.QP_TYPE, QueuePairType.UD.value());
		this.event.putLong(CmEventLayout.ID, this.id.address())
			.putInt(CmEventLayout.EVENT, CmEventType.MULTICAST_JOIN.value())
			.putLong(CmEventLayout.UD_PRIVATE_DATA, 17)
			.putByte(CmEventLayout.UD_PRIVATE_DATA_LENGTH, 8);
		assertThat(CmEventReader.read(this.event.address()).privateData()).isEmpty();
		assertThat(CmEventReader.read(this.event.address()).context()).isEqualTo(17);
		this.event.putInt(CmEventLayout.EVENT, CmEventType.ESTABLISHED.value())
			.putLong(CmEventLayout.UD_PRIVATE_DATA, this.data.address());
		assertThat(CmEventReader.read(this.event.address()).context()).isZero();
	}

	@Test
	void anEventThatIsNotKnownIsCopiedWithoutData() {
		this.event.putLong(CmEventLayout.ID, this.id.address())
			.putInt(CmEventLayout.EVENT, 77)
			.putLong(CmEventLayout.CONN_PRIVATE_DATA, 1)
			.putByte(CmEventLayout.CONN_PRIVATE_DATA_LENGTH, 8);
		assertThat(CmEventReader.read(this.event.address()).type()).isEqualTo(77);
		assertThat(CmEventReader.read(this.event.address()).privateData()).isEmpty();
	}

}
