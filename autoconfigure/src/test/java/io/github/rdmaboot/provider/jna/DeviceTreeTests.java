package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.rdmaboot.provider.DeviceDescription;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

class DeviceTreeTests {

	@TempDir
	private Path root;

	@Test
	void aMachineWithoutRdmaHasNoDevices() {
		assertThat(new DeviceTree(this.root).describe()).isEmpty();
	}

	@Test
	void aDeviceIsDescribedWithItsPortsAndNetworkDevices() {
		assertThat(FixtureTree.withOneDevice(this.root).devices().describe()).containsExactly(new DeviceDescription(
				"rxe0", "CA", List.of(new DeviceDescription.Port(1, "ACTIVE", "Ethernet", List.of("eth0")))));
	}

	@Test
	void portsAreInTheOrderOfTheirNumbersAndDevicesInThatOfTheirNames() {
		FixtureTree tree = FixtureTree.withOneDevice(this.root);
		for (int port = 1; port <= 10; port++) {
			tree.file("sys/class/infiniband/mlx5_0/ports/" + port + "/state", "1: DOWN\n");
		}
		assertThat(tree.devices().describe()).extracting(DeviceDescription::name).containsExactly("mlx5_0", "rxe0");
		assertThat(tree.devices().describe().get(0).ports()).extracting(DeviceDescription.Port::number)
			.containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	}

	@Test
	void networkDevicesOfTheHardwareStandInForThoseOfTheAddressTable() {
		FixtureTree tree = new FixtureTree(this.root).file("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n")
			.file("sys/class/infiniband/mlx5_0/device/net/ens1/address", "");
		assertThat(tree.devices().describe().get(0).ports().get(0).networkDevices()).containsExactly("ens1");
	}

	@Test
	void whatTheKernelDoesNotTellIsUnknown() {
		FixtureTree tree = new FixtureTree(this.root).file("sys/class/infiniband/odd/ports/1/lid", "0x0\n");
		assertThat(tree.devices().describe()).containsExactly(new DeviceDescription("odd", "unknown",
				List.of(new DeviceDescription.Port(1, "unknown", "unknown", List.of()))));
	}

	@Test
	void aDeviceThatGoesMeanwhileIsNoFailure() throws Exception {
		DeviceTree tree = FixtureTree.withOneDevice(this.root).devices();
		Path ports = Files.createDirectories(this.root.resolve("sys/class/infiniband/rxe1/ports"));
		AtomicBoolean over = new AtomicBoolean();
		Thread kernel = new Thread(() -> {
			try {
				while (!over.get()) {
					Files.delete(ports);
					Files.createDirectory(ports);
				}
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}, "kernel");
		kernel.start();
		try {
			assertThatNoException().isThrownBy(() -> {
				for (int i = 0; i < 5000; i++) {
					tree.describe();
				}
			});
		}
		finally {
			over.set(true);
			kernel.join();
		}
	}

}
