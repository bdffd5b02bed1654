/**
 * Provider without native code: an in-process fabric that keeps the states, events, error
 * numbers and blocking of librdmacm, libibverbs and Linux with soft-RoCE.
 * <p>
 * Known differences, everything else is held to the kernel by the contract suite:
 * <ul>
 * <li>A stale handle, and a call that crashes the process in C, throws an
 * {@link java.lang.IllegalStateException}.</li>
 * <li>A post that fails with EINVAL because of the queue pair's state leaves nothing in
 * the queue; soft-RoCE keeps the request. No program may rely on either.</li>
 * <li>Queue pairs and completion queues get exactly the sizes that were asked for;
 * soft-RoCE rounds them up. Smaller queues find errors of accounting sooner.</li>
 * <li>There is no limit of locked memory, of file descriptors or of credentials.</li>
 * <li>Only addresses of this process exist, so {@code ENETUNREACH} and the
 * {@code ADDR_ERROR} of a missing neighbour come where a real network might have the
 * host.</li>
 * <li>A host name service, path records and the enhanced connection establishment of
 * hardware are not imitated beyond their calls.</li>
 * </ul>
 */
@NullMarked
package io.github.rdmaboot.provider.loopback;

import org.jspecify.annotations.NullMarked;
