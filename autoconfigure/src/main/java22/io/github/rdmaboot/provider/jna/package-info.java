/**
 * What the provider does in another way with Java 22 and newer.
 */
@NullMarked
package io.github.rdmaboot.provider.jna;

import org.jspecify.annotations.NullMarked;
