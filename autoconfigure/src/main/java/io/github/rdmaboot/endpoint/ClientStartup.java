package io.github.rdmaboot.endpoint;

/**
 * When a client connects first.
 */
public enum ClientStartup {

	/** Connect in the background; the application starts without waiting. */
	BACKGROUND,

	/** Connect before the application is started; it fails to start otherwise. */
	REQUIRED,

	/** Connect when the connection is first asked for. */
	LAZY

}
