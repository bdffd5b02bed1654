package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.AddressHandleAttributes;

/**
 * Address handle of the loopback.
 *
 * @param pd its protection domain
 * @param attributes the address
 */
record LoopbackAh(LoopbackPd pd, AddressHandleAttributes attributes) {

}
