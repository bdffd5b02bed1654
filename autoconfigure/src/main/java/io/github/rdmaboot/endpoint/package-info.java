/**
 * What applications hold: servers, clients and their connections, with their settings.
 */
@NullMarked
package io.github.rdmaboot.endpoint;

import org.jspecify.annotations.NullMarked;
