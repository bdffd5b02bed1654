/**
 * Health of RDMA endpoints and devices, read from memory only.
 */
@NullMarked
package io.github.rdmaboot.health;

import org.jspecify.annotations.NullMarked;
