/**
 * The one seam to RDMA: the calls of librdmacm and libibverbs by handle, and the values
 * that they take and return.
 */
@NullMarked
package io.github.rdmaboot.provider;

import org.jspecify.annotations.NullMarked;
