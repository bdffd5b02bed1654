package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.jna.Footprint;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A device that goes away under endpoints, and comes back; and a network device that
 * takes the RDMA device on it along.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NativeDeviceRemovalIT {

	private final RdmaEndpoints registry = NativeEcho.registry();

	private final RdmaServer server = NativeEcho.addServer(this.registry, SecondDevice.ADDRESS, 7495);

	private final RdmaClient client = NativeEcho.addClient(this.registry, SecondDevice.ADDRESS, 7495);

	private final SecondDevice device = new SecondDevice();

	private Footprint before = new Footprint("", 0, 0);

	@BeforeEach
	void connectOverTheDevice() throws Exception {
		NativeEcho.openFirstDevice();
		this.before = Footprint.now();
		this.device.add();
		this.registry.start();
		NativeEcho.exchange(this.client);
	}

	@AfterEach
	void close() {
		this.registry.close();
		this.device.close();
	}

	@Test
	void deviceCanBeDeletedUnderItsEndpointsAndTheyWorkAgainWhenItIsBack() throws Exception {
		removeUnderServer(this.device::deleteDevice);
		assertThat(this.client.state()).isNotEqualTo(EndpointState.UP);

		this.device.addDevice();
		await().atMost(60, TimeUnit.SECONDS).until(() -> this.server.state() == EndpointState.UP);
		NativeEcho.exchange(this.client);
		removeUnderServer(this.device::deleteDevice);
		this.registry.close();
		this.device.deleteNetworkDevice();
		leavesNothing();
	}

	@Test
	void serverOnAllAddressesHearsNothingOfTheRemovalAndTakesConnectionsWhenTheDeviceIsBack() throws Exception {
		RdmaServer everywhere = this.registry.addServer(TestSettings.server("everywhere", "*", 7496));
		everywhere.onMessage((connection, message) -> connection.send(message, (error) -> {
		}));
		everywhere.start();
		RdmaClient other = this.registry.addClient(TestSettings.client("other", SecondDevice.ADDRESS, 7496,
				ClientStartup.BACKGROUND, TestSettings.RECONNECT));
		other.start();
		NativeEcho.exchange(other);
		this.device.deleteDevice();
		await().atMost(30, TimeUnit.SECONDS).until(() -> everywhere.connections().isEmpty());
		assertThat(everywhere.state()).isEqualTo(EndpointState.UP);
		assertThat(everywhere.cmId().generation()).isEqualTo(1);
		this.device.addDevice();
		NativeEcho.exchange(other);
		assertThat(everywhere.cmId().generation()).isEqualTo(1);
		this.device.deleteDevice();
		this.registry.close();
		this.device.deleteNetworkDevice();
		leavesNothing();
	}

	@Test
	void networkDeviceCanBeDeletedUnderEndpoints() {
		removeUnderServer(this.device::deleteNetworkDevice);
		assertThat(this.client.state()).isNotEqualTo(EndpointState.UP);
		this.registry.close();
		leavesNothing();
	}

	private void removeUnderServer(Runnable removal) {
		DestroyReport last = this.server.lastDestroyReport();
		removal.run();
		await().atMost(30, TimeUnit.SECONDS).until(() -> this.server.state() == EndpointState.DOWN);
		assertThat(this.server.lastDestroyReport()).isNotNull().isNotSameAs(last).satisfies((report) -> {
			assertThat(report.trigger()).isEqualTo(DestroyTrigger.DEVICE_REMOVAL);
			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		});
	}

	private void leavesNothing() {
		this.before.awaitNothingMore(Duration.ofSeconds(10), "the destroy");
	}

}
