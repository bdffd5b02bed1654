/**
 * Orderly destroy: ordered steps with deadlines that free every native object, and the
 * report of what each one did.
 */
@NullMarked
package io.github.rdmaboot.endpoint.destroy;

import org.jspecify.annotations.NullMarked;
