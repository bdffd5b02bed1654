package io.github.rdmaboot.provider;

/**
 * Options of enhanced connection establishment; stands for {@code struct ibv_ece}.
 *
 * @param vendorId the vendor whose options they are
 * @param options the vendor's options
 */
public record ConnectionEce(int vendorId, int options) {

}
