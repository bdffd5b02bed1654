/**
 * Auto-configuration of the actuator endpoint of RDMA.
 */
@NullMarked
package io.github.rdmaboot.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
