/**
 * Actuator endpoint that describes RDMA endpoints, their CM ids and their last destroy.
 */
@NullMarked
package io.github.rdmaboot.actuate;

import org.jspecify.annotations.NullMarked;
