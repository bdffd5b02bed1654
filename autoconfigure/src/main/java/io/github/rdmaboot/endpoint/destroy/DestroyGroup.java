package io.github.rdmaboot.endpoint.destroy;

import java.util.List;

/**
 * What one report is about: an endpoint with all its members, or a single connection.
 *
 * @param endpoint the configured name of the endpoint
 * @param connection the number of the connection, or 0 for the whole endpoint
 * @param members the members; empty when nothing native exists
 */
public record DestroyGroup(String endpoint, long connection, List<DestroyMember> members) {

	public DestroyGroup {
		members = List.copyOf(members);
	}

}
