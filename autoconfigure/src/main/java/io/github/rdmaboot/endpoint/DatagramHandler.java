package io.github.rdmaboot.endpoint;

/**
 * Receives the datagrams of an endpoint, one at a time and in the order of their arrival,
 * on the endpoint's handler executor.
 */
@FunctionalInterface
public interface DatagramHandler {

	/**
	 * A datagram arrived.
	 * @param datagram the datagram; it and its memory are used for another one when this
	 * method returns
	 * @throws Exception if the datagram could not be handled, which is logged and has no
	 * other consequence
	 */
	void onDatagram(ReceivedDatagram datagram) throws Exception;

}
