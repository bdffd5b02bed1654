package io.github.rdmaboot.provider;

import java.util.List;

/**
 * RDMA device as the operating system shows it without opening it.
 *
 * @param name the name, {@code rxe0} for instance
 * @param nodeType the kind of device, {@code CA} or {@code RNIC} for instance
 * @param ports its ports from the first
 */
public record DeviceDescription(String name, String nodeType, List<Port> ports) {

	public DeviceDescription {
		ports = List.copyOf(ports);
	}

	/**
	 * Port of a device.
	 *
	 * @param number the number from 1
	 * @param state the state, {@code ACTIVE} for instance
	 * @param linkLayer the link layer, {@code Ethernet} for instance
	 * @param networkDevices the names of the network devices behind it
	 */
	public record Port(int number, String state, String linkLayer, List<String> networkDevices) {

		public Port {
			networkDevices = List.copyOf(networkDevices);
		}

	}

}
