package io.github.rdmaboot.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * Message that was received.
 *
 * @param bytes the bytes, none if a peer's write with immediate data brought it
 * @param immediateData the immediate data of the send or write, or {@code null} if it had
 * none
 */
public record RdmaMessage(byte[] bytes, @Nullable Integer immediateData) {

}
