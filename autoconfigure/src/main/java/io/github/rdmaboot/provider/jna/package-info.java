/**
 * The provider that calls the real librdmacm and libibverbs through JNA; alone in knowing
 * how their structures are laid out.
 */
@NullMarked
package io.github.rdmaboot.provider.jna;

import org.jspecify.annotations.NullMarked;
