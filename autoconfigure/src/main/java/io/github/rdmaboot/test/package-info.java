/**
 * Support for applications to test their use of RDMA endpoints, without RDMA.
 */
@NullMarked
package io.github.rdmaboot.test;

import org.jspecify.annotations.NullMarked;
