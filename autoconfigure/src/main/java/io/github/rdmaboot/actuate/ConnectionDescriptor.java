package io.github.rdmaboot.actuate;

import io.github.rdmaboot.endpoint.RdmaConnection;

/**
 * Description of a connection.
 *
 * @param number its number within the endpoint
 * @param open whether it is established
 * @param cmId its CM id
 */
public record ConnectionDescriptor(long number, boolean open, CmIdDescriptor cmId) {

	static ConnectionDescriptor of(RdmaConnection connection) {
		return new ConnectionDescriptor(connection.number(), connection.isOpen(), CmIdDescriptor.of(connection.cmId()));
	}

}
