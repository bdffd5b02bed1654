package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * What one provider holds, as one process would: handles and open devices. Guarded by the
 * fabric's lock.
 */
final class LoopbackProcess {

	private final LoopbackFabric fabric;

	private final HandleTable handles = new HandleTable();

	private final Device device = new Device();

	private final long deviceHandle;

	private @Nullable DeviceContext cmContext;

	LoopbackProcess(LoopbackFabric fabric) {
		this.fabric = fabric;
		this.deviceHandle = this.handles.add(this.device);
	}

	LoopbackFabric fabric() {
		return this.fabric;
	}

	HandleTable handles() {
		return this.handles;
	}

	long deviceHandle() {
		return this.deviceHandle;
	}

	/**
	 * Return the device context that CM ids are bound to, which the CM opens when it
	 * first needs it.
	 * @return the context
	 */
	DeviceContext cmContext() {
		DeviceContext context = this.cmContext;
		if (context == null || (context.gone && this.fabric.isDevicePresent())) {
			context = openDevice("rdma_bind_addr");
			this.cmContext = context;
		}
		return context;
	}

	DeviceContext openDevice(String call) {
		if (!this.fabric.isDevicePresent()) {
			throw new RdmaException(call, Errno.ENODEV.value());
		}
		DeviceContext context = new DeviceContext(this);
		context.handle = this.handles.add(context);
		return context;
	}

	LoopbackCmId newId(EventChannel channel, PortSpace portSpace) {
		LoopbackCmId id = new LoopbackCmId(this, channel, portSpace);
		id.handle = this.handles.add(id);
		channel.ids.add(id);
		return id;
	}

	void loseDevice() {
		for (DeviceContext context : this.handles.all(DeviceContext.class)) {
			context.gone = true;
		}
		for (LoopbackQp qp : this.handles.all(LoopbackQp.class)) {
			qp.toError();
		}
		for (LoopbackCmId id : this.handles.all(LoopbackCmId.class)) {
			if (id.device != null && !id.kernelPartGone) {
				CmTeardown.loseDevice(id);
			}
		}
	}

	/**
	 * Do what the kernel does when a process exits: everything goes, and peers see their
	 * connections end.
	 */
	void exit() {
		for (LoopbackCmId id : this.handles.all(LoopbackCmId.class)) {
			CmTeardown.endInKernel(id);
		}
		for (LoopbackQp qp : this.handles.all(LoopbackQp.class)) {
			qp.vanish();
		}
		for (LoopbackMr mr : this.handles.all(LoopbackMr.class)) {
			this.fabric.memory().remove(mr);
		}
		this.fabric.remove(this);
	}

	/**
	 * Stands for {@code struct ibv_device}.
	 */
	static final class Device {

	}

}
