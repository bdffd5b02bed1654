/**
 * Sample web application that echoes request bodies over RDMA.
 */
@NullMarked
package io.github.rdmaboot.sample;

import org.jspecify.annotations.NullMarked;
