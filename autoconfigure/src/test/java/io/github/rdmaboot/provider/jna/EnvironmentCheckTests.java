package io.github.rdmaboot.provider.jna;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;

import io.github.rdmaboot.provider.RdmaUnavailableException;
import io.github.rdmaboot.provider.RdmaUnavailableException.Cause;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class EnvironmentCheckTests {

	@TempDir
	private Path root;

	private FixtureTree tree;

	@BeforeEach
	void createTree() {
		this.tree = FixtureTree.withOneDevice(this.root);
	}

	@Test
	void aMachineWithADeviceIsUsable() {
		assertThatNoException().isThrownBy(() -> check(Files::exists));
	}

	@Test
	void aKernelWithoutRdmaIsToldApart() {
		this.tree.without("sys/class");
		assertUnavailable(Cause.NO_KERNEL_SUPPORT, "no RDMA support loaded", "modprobe rdma_rxe");
	}

	@Test
	void devicesThatProgramsMayNotUseAreNamed() {
		this.tree.without("sys/class/infiniband_verbs");
		assertUnavailable(Cause.NO_KERNEL_SUPPORT, "[rxe0]", "modprobe ib_uverbs");
	}

	@Test
	void aMachineWithoutDeviceIsToldApart() {
		this.tree.without("sys/class/infiniband/rxe0");
		assertUnavailable(Cause.NO_DEVICE, "no RDMA device", "rdma link add rxe0 type rxe netdev eth0");
	}

	@Test
	void aMissingModuleIsToldApart() {
		this.tree.without("sys/class/misc/rdma_cm").without("dev/infiniband/rdma_cm");
		assertUnavailable(Cause.CM_DEVICE_MISSING, "rdma_ucm is not loaded", "modprobe rdma_ucm");
	}

	@Test
	void aNodeThatTheContainerLacksIsToldApart() {
		this.tree.without("dev/infiniband");
		assertUnavailable(Cause.CM_DEVICE_MISSING, "dev/infiniband/rdma_cm is missing", "--device /dev/infiniband");
	}

	@Test
	void aNodeThatIsNotAccessibleIsToldApart() {
		RdmaUnavailableException failure = fail((node) -> !node.endsWith("rdma_cm"));
		assertThat(failure.reason()).isEqualTo(Cause.CM_DEVICE_NOT_ACCESSIBLE);
		assertThat(failure).hasMessageContaining("rdma_cm may not be read and written");
		assertThat(failure.action()).contains("chmod 0666").contains("PrivateDevices");
	}

	@Test
	void devicesOfWhichNoneIsAccessibleAreToldApart() {
		RdmaUnavailableException failure = fail((node) -> node.endsWith("rdma_cm"));
		assertThat(failure.reason()).isEqualTo(Cause.CM_DEVICE_NOT_ACCESSIBLE);
		assertThat(failure).hasMessageContaining("uverbs0 may not be read and written");
	}

	@Test
	void oneAccessibleDeviceIsEnough() {
		this.tree.file("sys/class/infiniband_verbs/uverbs1/ibdev", "mlx5_0\n");
		assertThatNoException().isThrownBy(() -> check(Files::exists));
	}

	@Test
	void anInterfaceOfTheKernelThatIsNotKnownIsToldApart() {
		this.tree.file("sys/class/misc/rdma_cm/abi_version", "5\n");
		assertUnavailable(Cause.KERNEL_ABI_UNKNOWN, "version 5 of its connection manager interface", "newer rdma-core");
		this.tree.file("sys/class/infiniband_verbs/abi_version", "7\n");
		assertUnavailable(Cause.KERNEL_ABI_UNKNOWN, "version 7 of its verbs interface", "newer rdma-core");
	}

	private void check(Predicate<Path> accessible) {
		new EnvironmentCheck(this.tree.devices(), accessible).requireUsable();
	}

	private RdmaUnavailableException fail(Predicate<Path> accessible) {
		RdmaUnavailableException failure = catchThrowableOfType(RdmaUnavailableException.class,
				() -> check(accessible));
		assertThat(failure).isNotNull();
		return failure;
	}

	private void assertUnavailable(Cause reason, String message, String action) {
		RdmaUnavailableException failure = fail(Files::exists);
		assertThat(failure.reason()).isEqualTo(reason);
		assertThat(failure).hasMessageContaining(message);
		assertThat(failure.action()).contains(action);
	}

}
