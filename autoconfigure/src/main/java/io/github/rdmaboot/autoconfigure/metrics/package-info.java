/**
 * Auto-configuration of the meters of RDMA endpoints.
 */
@NullMarked
package io.github.rdmaboot.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
