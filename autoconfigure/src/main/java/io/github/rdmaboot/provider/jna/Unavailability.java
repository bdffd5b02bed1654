package io.github.rdmaboot.provider.jna;

import java.nio.file.Path;
import java.util.List;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaUnavailableException;
import io.github.rdmaboot.provider.RdmaUnavailableException.Cause;

/**
 * The reasons why RDMA cannot be used, each with what to do about it.
 */
final class Unavailability {

	private static final String PACKAGES = "install it with 'apt install librdmacm1 libibverbs1 ibverbs-providers' "
			+ "(Debian, Ubuntu), 'dnf install librdmacm libibverbs' (Fedora, RHEL) or the package rdma-core (Arch, "
			+ "SUSE, Alpine)";

	private static final String CONTAINER = "in a container pass the devices in with '--device /dev/infiniband'; in a "
			+ "systemd unit do not set PrivateDevices=yes, or allow them with DeviceAllow";

	private static final String SOFT_ROCE = "without RDMA hardware add soft-RoCE to a network device with 'modprobe "
			+ "rdma_rxe' and 'rdma link add rxe0 type rxe netdev eth0'";

	private Unavailability() {
	}

	static RdmaUnavailableException unsupportedPlatform(String platform) {
		return of(Cause.UNSUPPORTED_PLATFORM, "dlopen", Errno.ENOSYS,
				"The native RDMA provider does not know " + platform,
				"Run on 64-bit Linux on x86_64, aarch64, ppc64le, s390x or riscv64, or choose the loopback provider.");
	}

	static RdmaUnavailableException jnaMissing(Throwable cause) {
		return caused(of(Cause.NATIVE_ACCESS_MISSING, "dlopen", Errno.ENOENT, "JNA is not on the class path",
				"Add the dependency net.java.dev.jna:jna, which the starter brings."), cause);
	}

	static RdmaUnavailableException nativeAccessRefused(Throwable cause) {
		Throwable root = cause;
		while (root.getCause() != null) {
			root = root.getCause();
		}
		return caused(of(Cause.NATIVE_ACCESS_MISSING, "dlopen", Errno.EACCES,
				"The native part of JNA cannot be loaded: " + root,
				"Start Java with --enable-native-access=ALL-UNNAMED, or put 'Enable-Native-Access: ALL-UNNAMED' "
						+ "into the manifest of the jar that is started. If the folder for temporary files is "
						+ "mounted noexec, name another one with -Djna.tmpdir."),
				cause);
	}

	static RdmaUnavailableException libraryMissing(String library, Throwable cause) {
		return caused(of(Cause.LIBRARY_MISSING, "dlopen", Errno.ENOENT, "The library " + library + " cannot be loaded",
				sentence(PACKAGES)), cause);
	}

	static RdmaUnavailableException libraryUnknown(String what) {
		return of(Cause.LIBRARY_UNKNOWN, "dlopen", Errno.EPROTO, "The native libraries are not as expected: " + what,
				"Use librdmacm and libibverbs of rdma-core 39 or newer, built for the machine that Java runs on.");
	}

	static RdmaUnavailableException noKernelSupport(List<String> devices) {
		String message = devices.isEmpty() ? "The kernel has no RDMA support loaded"
				: "The kernel has the RDMA devices " + devices + " but does not let programs use them";
		return of(Cause.NO_KERNEL_SUPPORT, "ibv_get_device_list", Errno.ENOSYS, message,
				"Load the driver of the RDMA device and run 'modprobe ib_uverbs' and 'modprobe rdma_ucm'. "
						+ sentence(SOFT_ROCE));
	}

	static RdmaUnavailableException kernelAbiUnknown(String interfaceName, String version) {
		return of(Cause.KERNEL_ABI_UNKNOWN, "rdma_create_event_channel", Errno.EPERM,
				"The kernel offers version " + version + " of its " + interfaceName
						+ " interface, which librdmacm and libibverbs do not know",
				"Use a newer rdma-core, or a kernel whose interface it knows.");
	}

	static RdmaUnavailableException cmModuleMissing() {
		return of(Cause.CM_DEVICE_MISSING, "rdma_create_event_channel", Errno.ENOENT,
				"The kernel module rdma_ucm is not loaded",
				"Run 'modprobe rdma_ucm', and name the module in a file in /etc/modules-load.d to load it at boot.");
	}

	static RdmaUnavailableException nodeMissing(Path node) {
		return of(Cause.CM_DEVICE_MISSING, "rdma_create_event_channel", Errno.ENOENT,
				"The kernel serves RDMA, but " + node + " is missing", sentence(CONTAINER));
	}

	static RdmaUnavailableException nodeNotAccessible(Path node) {
		return of(Cause.CM_DEVICE_NOT_ACCESSIBLE, "rdma_create_event_channel", Errno.EACCES,
				node + " may not be read and written by this process", "Make it accessible with 'chmod 0666 " + node
						+ "' or to a group with a udev rule. " + sentence(CONTAINER));
	}

	static RdmaUnavailableException driverLibraryMissing(List<String> devices) {
		return of(Cause.DRIVER_LIBRARY_MISSING, "ibv_get_device_list", Errno.ENODEV,
				"libibverbs has no driver for the RDMA devices " + devices,
				"Install the drivers with 'apt install ibverbs-providers' (Debian, Ubuntu) or 'dnf install libibverbs' "
						+ "(Fedora, RHEL).");
	}

	static RdmaUnavailableException noDevice() {
		return of(Cause.NO_DEVICE, "rdma_create_event_channel", Errno.ENODEV, "There is no RDMA device",
				"List devices with 'rdma link'; " + SOFT_ROCE
						+ ". In a container run 'rdma system set netns shared' on the host, or move the device into the "
						+ "container's network namespace.");
	}

	private static RdmaUnavailableException of(Cause reason, String call, Errno errno, String message, String action) {
		return new RdmaUnavailableException(reason, call, errno.value(), message, action);
	}

	private static RdmaUnavailableException caused(RdmaUnavailableException exception, Throwable cause) {
		exception.initCause(cause);
		return exception;
	}

	private static String sentence(String text) {
		return Character.toUpperCase(text.charAt(0)) + text.substring(1) + ".";
	}

}
