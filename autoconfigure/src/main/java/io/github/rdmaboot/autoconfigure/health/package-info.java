/**
 * Auto-configuration of the health of RDMA endpoints.
 */
@NullMarked
package io.github.rdmaboot.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
