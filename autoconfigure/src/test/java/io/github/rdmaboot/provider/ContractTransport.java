package io.github.rdmaboot.provider;

import java.net.Inet6Address;
import java.net.InetAddress;

/**
 * What the contract suite needs to know of the provider that it runs against.
 */
interface ContractTransport {

	/**
	 * Open a provider.
	 * @return a provider that has no objects yet
	 */
	RdmaProvider open();

	/**
	 * Return an address of this host that has an RDMA device.
	 * @return the address
	 */
	InetAddress address();

	/**
	 * Return an IPv6 address of this host that has the same RDMA device.
	 * @return the address
	 */
	InetAddress ipv6Address();

	/**
	 * Return an address of the link that the same RDMA device is on.
	 * @return the address with its scope
	 */
	Inet6Address linkLocalAddress();

	/**
	 * Return an address that no route leads to.
	 * @return the address
	 */
	InetAddress withoutRoute();

	/**
	 * Return how long to wait for something that must not happen.
	 * @return the time in milliseconds
	 */
	int silenceMillis();

	/**
	 * Return where the transport differs from others.
	 * @return its rules
	 */
	TransportRules rules();

}
