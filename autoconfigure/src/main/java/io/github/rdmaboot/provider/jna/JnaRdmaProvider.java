package io.github.rdmaboot.provider.jna;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

import com.sun.jna.Native;
import io.github.rdmaboot.provider.DeviceDescription;
import io.github.rdmaboot.provider.HandleList;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.RdmaUnavailableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provider that calls the real librdmacm and libibverbs. Holds no native object itself;
 * safe for any number of platform threads.
 */
public final class JnaRdmaProvider extends JnaIbvCalls implements RdmaProvider {

	private static final Logger logger = LoggerFactory.getLogger(JnaRdmaProvider.class);

	/** Long enough for a machine that is busy; a look takes some milliseconds. */
	private static final long DISCOVERY_PATIENCE_MILLIS = 2000;

	private final Waiting waiting = new Waiting();

	private final DeviceTree devices;

	private final DeviceDiscovery discovery;

	private JnaRdmaProvider(DeviceTree devices, CallPath path) {
		super(path);
		this.devices = devices;
		this.discovery = new DeviceDiscovery(devices::sightings, () -> ibvFreeDeviceList(super.ibvGetDeviceList()),
				DISCOVERY_PATIENCE_MILLIS);
	}

	/**
	 * Load the libraries and check that RDMA can be used; may block for some seconds
	 * where a device is slow to open. The system property {@value CallPath#PROPERTY} set
	 * to {@code jna} keeps Java 22 and newer from using its foreign function API.
	 * @return the provider
	 * @throws RdmaUnavailableException when RDMA cannot be used, with the reason and what
	 * to do about it
	 */
	public static JnaRdmaProvider open() {
		return open(Path.of("/"));
	}

	static JnaRdmaProvider open(Path root) {
		NativeAccess.require();
		NativeLibraries.bind();
		DeviceTree devices = new DeviceTree(root);
		new EnvironmentCheck(devices, EnvironmentCheck::isAccessible).requireUsable();
		CallPath path = CallPath.choose();
		logger.debug("Calls on the data path: {}", path);
		JnaRdmaProvider provider = new JnaRdmaProvider(devices, path);
		new SelfCheck(provider, devices, path).run();
		return provider;
	}

	@Override
	public String name() {
		return "native";
	}

	@Override
	public List<DeviceDescription> describeDevices() {
		return this.devices.describe();
	}

	@Override
	public long createWaker() {
		return this.waiting.create();
	}

	@Override
	public void wake(long waker) {
		this.waiting.wake(waker);
	}

	@Override
	public void destroyWaker(long waker) {
		this.waiting.destroy(waker);
	}

	@Override
	public long rdmaCreateEventChannel() {
		this.discovery.seeDevices();
		return super.rdmaCreateEventChannel();
	}

	@Override
	public void rdmaBindAddr(long id, InetSocketAddress address) {
		this.discovery.seeDevices();
		super.rdmaBindAddr(id, address);
	}

	@Override
	public void rdmaResolveAddr(long id, @Nullable InetSocketAddress source, InetSocketAddress destination,
			int timeoutMillis) {
		this.discovery.seeDevices();
		super.rdmaResolveAddr(id, source, destination, timeoutMillis);
	}

	@Override
	public HandleList rdmaGetDevices() {
		this.discovery.seeDevices();
		return super.rdmaGetDevices();
	}

	@Override
	public HandleList ibvGetDeviceList() {
		this.discovery.seeDevices();
		return super.ibvGetDeviceList();
	}

	// A request to one that listens on all addresses may come over a device that is new:
	// there is no call before it that would see that.
	@Override
	public boolean awaitCmEvent(long channel, long waker, int timeoutMillis) {
		boolean event = this.waiting.await(eventChannelFd(channel), waker, timeoutMillis);
		if (!event) {
			this.discovery.seeDevices();
		}
		return event;
	}

	@Override
	public void closeCompletionChannel(long completionChannel) {
		int fd = completionChannelFd(completionChannel);
		Native.free(completionChannel);
		CallOutcome.requireNotMinusOne("close", Libc.close(fd));
	}

	@Override
	public boolean awaitCqEvent(long completionChannel, long waker, int timeoutMillis) {
		return this.waiting.await(completionChannelFd(completionChannel), waker, timeoutMillis);
	}

	@Override
	public void pinThread(int cpu) {
		ThreadAffinity.pin(cpu);
	}

	@Override
	public void close() {
		// The libraries stay loaded: their functions are bound for the whole process.
	}

}
