/**
 * Provider without native code: an in-process fabric that keeps the states, events, error
 * numbers and blocking of librdmacm, libibverbs and the Linux kernel.
 */
@NullMarked
package io.github.rdmaboot.provider.loopback;

import org.jspecify.annotations.NullMarked;
