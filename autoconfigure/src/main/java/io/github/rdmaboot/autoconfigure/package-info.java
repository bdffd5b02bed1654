/**
 * Auto-configuration of RDMA endpoints: properties, registrar and lifecycle.
 */
@NullMarked
package io.github.rdmaboot.autoconfigure;

import org.jspecify.annotations.NullMarked;
