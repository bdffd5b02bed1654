package io.github.rdmaboot.provider;

import java.net.InetSocketAddress;

import org.jspecify.annotations.Nullable;

/**
 * Address that a name was translated to; stands for {@code struct rdma_addrinfo}.
 *
 * @param source the local address to use or {@code null}
 * @param destination the peer's address or {@code null} for a passive look-up
 */
public record AddressInfo(@Nullable InetSocketAddress source, @Nullable InetSocketAddress destination) {

}
