/**
 * Meters of RDMA endpoints.
 */
@NullMarked
package io.github.rdmaboot.metrics;

import org.jspecify.annotations.NullMarked;
