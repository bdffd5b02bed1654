/**
 * Queue pairs, completion queues and registered memory with their rules of ownership.
 */
@NullMarked
package io.github.rdmaboot.verbs;

import org.jspecify.annotations.NullMarked;
