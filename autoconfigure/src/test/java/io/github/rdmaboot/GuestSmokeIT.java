package io.github.rdmaboot;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the native suite: it fails, rather than skips, where there is no RDMA.
 */
class GuestSmokeIT {

	@Test
	void theConnectionManagerDeviceIsAccessible() {
		assertThat(Path.of("/dev/infiniband/rdma_cm")).isReadable().isWritable();
	}

	@Test
	void theKernelHasAnRdmaDevice() throws Exception {
		Path devices = Path.of("/sys/class/infiniband");
		assertThat(devices).isDirectory();
		try (var list = Files.list(devices)) {
			assertThat(list).isNotEmpty();
		}
	}

}
