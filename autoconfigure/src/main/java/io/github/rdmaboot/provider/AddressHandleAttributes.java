package io.github.rdmaboot.provider;

/**
 * Address of a datagram peer or of a path; stands for {@code struct ibv_ah_attr}.
 *
 * @param dgid the 16 bytes of the peer's GID
 * @param flowLabel the flow label
 * @param sgidIndex the index of the local GID
 * @param hopLimit the hop limit
 * @param trafficClass the traffic class
 * @param dlid the peer's LID, 0 on Ethernet
 * @param serviceLevel the service level
 * @param sourcePathBits the source path bits
 * @param staticRate the static rate
 * @param global whether the GID part counts; always on Ethernet
 * @param portNum the local port from 1
 */
public record AddressHandleAttributes(byte[] dgid, int flowLabel, int sgidIndex, int hopLimit, int trafficClass,
		int dlid, int serviceLevel, int sourcePathBits, int staticRate, boolean global, int portNum) {

}
