package io.github.rdmaboot.provider;

/**
 * Limits of a device; stands for {@code struct ibv_device_attr}.
 *
 * @param firmwareVersion the firmware's version
 * @param nodeGuid the GUID in host order
 * @param vendorId the vendor
 * @param vendorPartId the vendor's part
 * @param hardwareVersion the hardware's version
 * @param maxMrSize the largest memory region in bytes
 * @param maxQp the most queue pairs
 * @param maxQpWr the most work requests of a queue pair
 * @param maxSge the most buffers of a work request
 * @param maxCq the most completion queues
 * @param maxCqe the most completions of a completion queue
 * @param maxMr the most memory regions
 * @param maxPd the most protection domains
 * @param maxQpRdAtom the most reads and atomics of the peer served at once by a queue
 * pair
 * @param maxQpInitRdAtom the most reads and atomics outstanding at once on a queue pair
 * @param atomicCapability 0 none, 1 atomic within the device, 2 atomic with the CPU too
 * @param maxMulticastGroups the most multicast groups
 * @param maxAh the most address handles
 * @param maxSrq the most shared receive queues
 * @param maxSrqWr the most work requests of a shared receive queue
 * @param maxSrqSge the most buffers of a shared receive
 * @param physicalPorts how many ports it has
 */
public record DeviceAttributes(String firmwareVersion, long nodeGuid, int vendorId, int vendorPartId,
		int hardwareVersion, long maxMrSize, int maxQp, int maxQpWr, int maxSge, int maxCq, int maxCqe, int maxMr,
		int maxPd, int maxQpRdAtom, int maxQpInitRdAtom, int atomicCapability, int maxMulticastGroups, int maxAh,
		int maxSrq, int maxSrqWr, int maxSrqSge, int physicalPorts) {

}
