package io.github.rdmaboot.provider;

/**
 * List of handles that belongs to the library until it is given back.
 *
 * @param list the handle of the list itself
 * @param handles the handles in it
 */
public record HandleList(long list, long[] handles) {

}
