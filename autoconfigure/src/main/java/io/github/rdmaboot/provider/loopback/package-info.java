/**
 * Provider without native code: an in-process fabric that keeps the states, events, error
 * numbers and blocking of librdmacm, libibverbs and Linux with soft-RoCE.
 * <p>
 * Known differences, everything else is held to the kernel by the contract suite:
 * <ul>
 * <li>A stale handle, and a call that crashes the process in C, throws an
 * {@link java.lang.IllegalStateException}: an {@code rdma_destroy_qp} without a queue
 * pair, for instance, ended the process when it was tried.</li>
 * <li>A post that fails with EINVAL because of the queue pair's state leaves nothing in
 * the queue. Measured: soft-RoCE keeps the request and sends it after all, before the
 * next one, when the queue pair is connected; after one soft-iWARP sends nothing any
 * more. No program may rely on any of these.</li>
 * <li>Queue pairs and completion queues get exactly the sizes that were asked for.
 * Measured with sizes from 1 to 16: soft-RoCE takes one less than a power of two, 7 for 4
 * for instance, soft-iWARP a power of two. Smaller queues find errors of accounting
 * sooner.</li>
 * <li>There is no limit of locked memory, of file descriptors or of credentials. The
 * kernel's were measured (ENOMEM and EPERM of locked memory, EACCES after a change of
 * credentials); they are those of a process, and a fabric has none to itself.</li>
 * <li>Only addresses of this process exist: any other on the network behind the device
 * ends in {@code ADDR_ERROR} with ETIMEDOUT after the caller's limit, as was measured
 * where nobody answers, and one without a route in ENETUNREACH.</li>
 * <li>{@code rdma_getaddrinfo} takes services by number only: their names are in a file
 * of the host that Java does not read.</li>
 * <li>Path records are not imitated beyond their calls. The options of enhanced
 * connection establishment are carried as Linux 6.1 does, which loses the vendor of those
 * in a reply, but no queue pair acts on them.</li>
 * </ul>
 */
@NullMarked
package io.github.rdmaboot.provider.loopback;

import org.jspecify.annotations.NullMarked;
