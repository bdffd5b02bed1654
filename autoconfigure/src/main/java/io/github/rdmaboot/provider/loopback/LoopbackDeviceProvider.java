package io.github.rdmaboot.provider.loopback;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;

import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.DeviceAttributes;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.ForkStatus;
import io.github.rdmaboot.provider.HandleList;
import io.github.rdmaboot.provider.IbvCalls;
import io.github.rdmaboot.provider.PortAttributes;
import io.github.rdmaboot.provider.PortState;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.TransportType;

/**
 * The calls of libibverbs that concern devices, their ports and texts, on the loopback.
 */
abstract class LoopbackDeviceProvider implements IbvCalls {

	private static final List<String> NODE_TYPES = List.of("unknown", "InfiniBand channel adapter", "InfiniBand switch",
			"InfiniBand router", "iWARP NIC");

	private static final List<String> ASYNC_EVENTS = List.of("CQ error", "local work queue catastrophic error",
			"invalid request local work queue error", "local access violation work queue error",
			"communication established", "send queue drained", "path migrated", "path migration request error",
			"local catastrophic error", "port active", "port error", "LID change", "P_Key change", "SM change",
			"SRQ catastrophic error", "SRQ limit reached", "last WQE reached", "client reregistration",
			"GID table change", "WQ catastrophic error");

	private final LoopbackFabric fabric;

	private final LoopbackProcess process;

	LoopbackDeviceProvider(LoopbackFabric fabric) {
		this.fabric = fabric;
		this.process = new LoopbackProcess(fabric);
		try (FabricLock ignored = hold()) {
			fabric.add(this.process);
		}
	}

	LoopbackFabric fabric() {
		return this.fabric;
	}

	LoopbackProcess process() {
		return this.process;
	}

	FabricLock hold() {
		return this.fabric.lock().hold();
	}

	<T> T get(String call, long handle, Class<T> type) {
		return this.process.handles().get(call, handle, type);
	}

	DeviceContext context(String call, long handle) {
		return get(call, handle, DeviceContext.class);
	}

	DeviceContext present(String call, long handle) {
		DeviceContext context = context(call, handle);
		context.requirePresent(call);
		return context;
	}

	HandleList newList(long... handles) {
		HandleList list = new HandleList(0, handles);
		return new HandleList(this.process.handles().add(list), handles);
	}

	void freeList(String call, HandleList list) {
		try (FabricLock ignored = hold()) {
			get(call, list.list(), HandleList.class);
			this.process.handles().remove(list.list());
		}
	}

	@Override
	public HandleList ibvGetDeviceList() {
		try (FabricLock ignored = hold()) {
			return this.fabric.isDevicePresent() ? newList(this.process.deviceHandle()) : newList();
		}
	}

	@Override
	public void ibvFreeDeviceList(HandleList devices) {
		freeList("ibv_free_device_list", devices);
	}

	@Override
	public String ibvGetDeviceName(long device) {
		requireDevice("ibv_get_device_name", device);
		return DeviceLimits.NAME;
	}

	@Override
	public long ibvGetDeviceGuid(long device) {
		requireDevice("ibv_get_device_guid", device);
		return DeviceLimits.GUID;
	}

	@Override
	public int ibvGetDeviceIndex(long device) {
		requireDevice("ibv_get_device_index", device);
		return 0;
	}

	@Override
	public long deviceOf(long context) {
		try (FabricLock ignored = hold()) {
			return context("deviceOf", context).process().deviceHandle();
		}
	}

	@Override
	public int transportTypeOf(long device) {
		requireDevice("transportTypeOf", device);
		return (this.fabric.hasImmediateData() ? TransportType.IB : TransportType.IWARP).value();
	}

	@Override
	public long ibvOpenDevice(long device) {
		try (FabricLock ignored = hold()) {
			get("ibv_open_device", device, LoopbackProcess.Device.class);
			return this.process.openDevice("ibv_open_device").handle;
		}
	}

	@Override
	public void ibvCloseDevice(long context) {
		try (FabricLock ignored = hold()) {
			context("ibv_close_device", context);
			this.process.handles().remove(context);
		}
	}

	@Override
	public DeviceAttributes ibvQueryDevice(long context) {
		try (FabricLock ignored = hold()) {
			present("ibv_query_device", context);
			return DeviceLimits.device();
		}
	}

	@Override
	public PortAttributes ibvQueryPort(long context, int port) {
		try (FabricLock ignored = hold()) {
			present("ibv_query_port", context);
			requirePort("ibv_query_port", port);
			return DeviceLimits.port(this.fabric.addresses().all().size());
		}
	}

	@Override
	public byte[] ibvQueryGid(long context, int port, int index) {
		try (FabricLock ignored = hold()) {
			present("ibv_query_gid", context);
			requirePort("ibv_query_gid", port);
			List<InetAddress> addresses = this.fabric.addresses().all();
			if (index < 0 || index >= addresses.size()) {
				throw new RdmaException("ibv_query_gid", Errno.EINVAL.value());
			}
			return Gids.of(addresses.get(index));
		}
	}

	@Override
	public int ibvQueryPkey(long context, int port, int index) {
		try (FabricLock ignored = hold()) {
			present("ibv_query_pkey", context);
			requirePort("ibv_query_pkey", port);
			if (index != 0) {
				throw new RdmaException("ibv_query_pkey", Errno.EINVAL.value());
			}
			return DeviceLimits.PKEY;
		}
	}

	@Override
	public void ibvForkInit() {
		// There is no memory to protect: the device copies through the Java heap.
	}

	@Override
	public ForkStatus ibvIsForkInitialized() {
		return ForkStatus.UNNEEDED;
	}

	@Override
	public String ibvWcStatusStr(int status) {
		CompletionStatus known = CompletionStatus.of(status);
		return (known != null) ? known.name().toLowerCase(Locale.ROOT).replace('_', ' ') : "unknown";
	}

	@Override
	public String ibvEventTypeStr(int eventType) {
		return (eventType >= 0 && eventType < ASYNC_EVENTS.size()) ? ASYNC_EVENTS.get(eventType) : "unknown";
	}

	@Override
	public String ibvPortStateStr(int state) {
		PortState known = PortState.of(state);
		return (known != null) ? "PORT_" + known.name() : "invalid state";
	}

	@Override
	public String ibvNodeTypeStr(int nodeType) {
		return (nodeType > 0 && nodeType < NODE_TYPES.size()) ? NODE_TYPES.get(nodeType) : "unknown";
	}

	private void requireDevice(String call, long device) {
		try (FabricLock ignored = hold()) {
			get(call, device, LoopbackProcess.Device.class);
		}
	}

	private static void requirePort(String call, int port) {
		if (port != 1) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
	}

}
