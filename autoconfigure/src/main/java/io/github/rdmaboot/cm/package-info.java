/**
 * CM ids and event channels with their rules: states, the ledger of events, one-shot
 * destroy.
 */
@NullMarked
package io.github.rdmaboot.cm;

import org.jspecify.annotations.NullMarked;
