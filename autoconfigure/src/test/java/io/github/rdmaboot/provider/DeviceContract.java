package io.github.rdmaboot.provider;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Devices, ports and memory regions.
 */
abstract class DeviceContract extends RdmaProviderContract {

	DeviceContract(ContractTransport transport) {
		super(transport);
	}

	private long context() {
		long id = this.client.newId(PortSpace.TCP);
		this.provider.rdmaBindAddr(id, address(0));
		return this.provider.contextOf(id);
	}

	private long pd(long context) {
		long pd = this.provider.ibvAllocPd(context);
		closeLater(() -> this.provider.ibvDeallocPd(pd));
		return pd;
	}

	@Test
	void devicesAreDescribedWithTheirPorts() {
		List<DeviceDescription> devices = this.provider.describeDevices();
		assertThat(devices).isNotEmpty();
		assertThat(devices.get(0).name()).isNotBlank();
		assertThat(devices.get(0).ports()).isNotEmpty();
		assertThat(devices.get(0).ports().get(0).number()).isEqualTo(1);
		assertThat(devices.get(0).ports().get(0).state()).isEqualTo("ACTIVE");
	}

	@Test
	void listedDeviceIsTheOneThatIsDescribed() {
		HandleList list = this.provider.ibvGetDeviceList();
		assertThat(list.handles()).isNotEmpty();
		String name = this.provider.ibvGetDeviceName(list.handles()[0]);
		assertThat(this.provider.describeDevices()).extracting(DeviceDescription::name).contains(name);
		this.provider.ibvFreeDeviceList(list);
	}

	@Test
	void deviceHasTheTransportOfTheKindThatItIsDescribedAs() {
		long device = this.provider.deviceOf(context());
		String name = this.provider.ibvGetDeviceName(device);
		TransportType expected = this.provider.describeDevices()
			.stream()
			.anyMatch((each) -> each.name().equals(name) && each.nodeType().equals("RNIC")) ? TransportType.IWARP
					: TransportType.IB;
		assertThat(this.provider.transportTypeOf(device)).as("transport of %s", name).isEqualTo(expected.value());
	}

	@Test
	void openedDeviceHasItsOwnContext() {
		HandleList list = this.provider.ibvGetDeviceList();
		long context = this.provider.ibvOpenDevice(list.handles()[0]);
		assertThat(context).isNotZero().isNotEqualTo(context());
		assertThat(this.provider.ibvGetDeviceName(this.provider.deviceOf(context)))
			.isEqualTo(this.provider.ibvGetDeviceName(list.handles()[0]));
		this.provider.ibvCloseDevice(context);
		this.provider.ibvFreeDeviceList(list);
	}

	@Test
	void contextsOfTheCmAreThoseOfIds() {
		HandleList list = this.provider.rdmaGetDevices();
		assertThat(list.handles()).contains(context());
		this.provider.rdmaFreeDevices(list);
	}

	@Test
	void deviceTellsItsLimits() {
		DeviceAttributes limits = this.provider.ibvQueryDevice(context());
		assertThat(limits.maxQpWr()).isPositive();
		assertThat(limits.maxSge()).isPositive();
		assertThat(limits.maxCqe()).isPositive();
		assertThat(limits.maxQpRdAtom()).isPositive();
		assertThat(limits.physicalPorts()).isEqualTo(1);
	}

	@Test
	void portIsActive() {
		PortAttributes port = this.provider.ibvQueryPort(context(), 1);
		assertThat(PortState.of(port.state())).isEqualTo(PortState.ACTIVE);
		assertThat(port.linkLayer()).isEqualTo(LinkLayer.ETHERNET.value());
		assertThat(port.gidTableLength()).isPositive();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 2, 200 })
	void portThatDoesNotExistIsInvalid(int port) {
		long context = context();
		assertErrno(Errno.EINVAL, () -> this.provider.ibvQueryPort(context, port));
	}

	@Test
	void gidTableHasTheAddress() throws SocketException {
		long context = context();
		if (!rules().gidsAreAddresses()) {
			assertThat(this.provider.ibvQueryGid(context, 1, 0)).isEqualTo(Arrays.copyOf(hardwareAddress(), 16));
			return;
		}
		byte[] address = transport().address().getAddress();
		int entries = this.provider.ibvQueryPort(context, 1).gidTableLength();
		List<byte[]> found = new ArrayList<>();
		for (int i = 0; i < entries && found.isEmpty(); i++) {
			byte[] gid = this.provider.ibvQueryGid(context, 1, i);
			assertThat(gid).hasSize(16);
			if (Arrays.equals(Arrays.copyOfRange(gid, 12, 16), address)) {
				found.add(gid);
			}
		}
		assertThat(found).hasSize(1);
	}

	private byte[] hardwareAddress() throws SocketException {
		return NetworkInterface.getByInetAddress(transport().address()).getHardwareAddress();
	}

	@Test
	void partitionKeyIsTheDefault() {
		long context = context();
		Errno missing = rules().partitionKey();
		if (missing != null) {
			assertErrno(missing, () -> this.provider.ibvQueryPkey(context, 1, 0));
		}
		else {
			assertThat(this.provider.ibvQueryPkey(context, 1, 0)).isEqualTo(0xffff);
		}
	}

	@Test
	void memoryIsRegisteredWithKeys() {
		long pd = pd(context());
		MemoryRegionData region = this.provider.ibvRegMr(pd, ByteBuffer.allocateDirect(100), 15);
		assertThat(region.length()).isEqualTo(100);
		assertThat(region.address()).isNotZero();
		assertThat(region.lkey()).isNotZero();
		assertThat(region.rkey()).isNotZero();
		this.provider.ibvDeregMr(region.mr());
	}

	@Test
	void memoryIsRegisteredFromPositionToLimit() {
		long pd = pd(context());
		ByteBuffer buffer = ByteBuffer.allocateDirect(100);
		buffer.position(10).limit(30);
		MemoryRegionData region = this.provider.ibvRegMr(pd, buffer, 1);
		assertThat(region.length()).isEqualTo(20);
		assertThat(buffer.position()).isEqualTo(10);
		this.provider.ibvDeregMr(region.mr());
	}

	@ParameterizedTest
	@EnumSource(value = AccessFlag.class, names = { "REMOTE_WRITE", "REMOTE_ATOMIC" })
	void remoteChangesNeedLocalWriteAccess(AccessFlag flag) {
		long pd = pd(context());
		assertErrno(Errno.EINVAL, () -> this.provider.ibvRegMr(pd, ByteBuffer.allocateDirect(8), flag.value()));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 3, 5, 7, 9, 15 })
	void legalAccessIsRegistered(int access) {
		long pd = pd(context());
		MemoryRegionData region = this.provider.ibvRegMr(pd, ByteBuffer.allocateDirect(4096), access);
		assertThat(region.length()).isEqualTo(4096);
		this.provider.ibvDeregMr(region.mr());
	}

	@Test
	void regionsOfDifferentBuffersDoNotOverlap() {
		long pd = pd(context());
		MemoryRegionData first = this.provider.ibvRegMr(pd, ByteBuffer.allocateDirect(5000), 1);
		MemoryRegionData second = this.provider.ibvRegMr(pd, ByteBuffer.allocateDirect(5000), 1);
		assertThat(Math.abs(first.address() - second.address())).isGreaterThanOrEqualTo(5000);
		assertThat(first.lkey()).isNotEqualTo(second.lkey());
		this.provider.ibvDeregMr(first.mr());
		this.provider.ibvDeregMr(second.mr());
	}

	@Test
	void protectionDomainIsBusyWhileMemoryUsesIt() {
		long pd = pd(context());
		MemoryRegionData region = this.provider.ibvRegMr(pd, ByteBuffer.allocateDirect(8), 1);
		assertErrno(Errno.EBUSY, () -> this.provider.ibvDeallocPd(pd));
		this.provider.ibvDeregMr(region.mr());
	}

	@Test
	void asynchronousEventsOfAQuietDeviceAreThoseOfItsPortAndEnd() {
		long context = context();
		for (AsyncEventData event = this.provider.ibvGetAsyncEvent(context); event != null; event = this.provider
			.ibvGetAsyncEvent(context)) {
			this.provider.ibvAckAsyncEvent(event.event());
			// The kernel tells of ports and their addresses at any time.
			assertThat(event.type()).as("type of %s", event).isBetween(9, 18);
		}
		assertThat(this.provider.ibvGetAsyncEvent(context)).isNull();
	}

	@ParameterizedTest
	@EnumSource(CompletionStatus.class)
	void everyCompletionStatusHasAText(CompletionStatus status) {
		assertThat(this.provider.ibvWcStatusStr(status.value())).isNotBlank();
	}

}
