package io.github.rdmaboot.endpoint;

/**
 * Callback of our own that takes no time, and so is called on the completion thread
 * itself.
 */
interface DirectCallback extends OperationCallback {

}
