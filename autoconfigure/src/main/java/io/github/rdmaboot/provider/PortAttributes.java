package io.github.rdmaboot.provider;

/**
 * State of a device port; stands for {@code struct ibv_port_attr}.
 *
 * @param state the number of its state, see {@link PortState#of}
 * @param maxMtu the largest MTU as {@code enum ibv_mtu}
 * @param activeMtu the MTU in use as {@code enum ibv_mtu}
 * @param gidTableLength how many GIDs it has room for
 * @param maxMessageSize the largest message in bytes
 * @param pkeyTableLength how many partition keys it has room for
 * @param lid the LID, 0 on Ethernet
 * @param subnetManagerLid the subnet manager's LID
 * @param activeWidth the width in use, encoded
 * @param activeSpeed the speed in use, encoded
 * @param physicalState the physical state, encoded
 * @param linkLayer the number of its link layer, see {@link LinkLayer}
 */
public record PortAttributes(int state, int maxMtu, int activeMtu, int gidTableLength, int maxMessageSize,
		int pkeyTableLength, int lid, int subnetManagerLid, int activeWidth, int activeSpeed, int physicalState,
		int linkLayer) {

}
