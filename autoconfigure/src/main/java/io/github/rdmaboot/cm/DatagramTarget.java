package io.github.rdmaboot.cm;

import io.github.rdmaboot.provider.AddressHandleAttributes;

/**
 * Where datagrams go: what an event tells of a service or of a multicast group; stands
 * for {@code struct rdma_ud_param}.
 *
 * @param qpNum the number of the queue pair, 0xffffff for a multicast group
 * @param qkey the queue key that the queue pair asks for
 * @param path the path, to make an address handle of
 */
public record DatagramTarget(int qpNum, int qkey, AddressHandleAttributes path) {

}
