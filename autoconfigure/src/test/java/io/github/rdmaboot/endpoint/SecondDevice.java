package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.jna.SystemCommand;

/**
 * RDMA device beside the guest's first one, of the same kind, on a network device of its
 * own. A test that removes a device takes this one: librdmacm keeps the last device of a
 * process open until the process ends.
 */
final class SecondDevice implements AutoCloseable {

	static final String ADDRESS = "198.51.100.1";

	private static final String NETWORK_DEVICE = "removable";

	private static final String DEVICE = "second";

	private final String type = isIwarp() ? "siw" : "rxe";

	private boolean hasNetworkDevice;

	void add() {
		addNetworkDevice();
		addDevice();
	}

	// Whether the guest runs on soft-iWARP and not on soft-RoCE.
	static boolean isIwarp() {
		return SystemCommand.run("rdma link show").contains("siw0");
	}

	private void addNetworkDevice() {
		SystemCommand.run("ip link add " + NETWORK_DEVICE + " type dummy");
		this.hasNetworkDevice = true;
		SystemCommand.run("ip address add " + ADDRESS + "/24 dev " + NETWORK_DEVICE);
		SystemCommand.run("ip link set " + NETWORK_DEVICE + " up");
	}

	void addDevice() {
		SystemCommand.run("rdma link add " + DEVICE + " type " + this.type + " netdev " + NETWORK_DEVICE);
	}

	void deleteDevice() {
		SystemCommand.run("rdma link delete " + DEVICE);
	}

	void deleteNetworkDevice() {
		this.hasNetworkDevice = false;
		SystemCommand.run("ip link delete " + NETWORK_DEVICE);
	}

	@Override
	public void close() {
		if (this.hasNetworkDevice) {
			deleteNetworkDevice();
		}
	}

}
