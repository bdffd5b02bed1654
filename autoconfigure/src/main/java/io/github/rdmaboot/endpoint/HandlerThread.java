package io.github.rdmaboot.endpoint;

/**
 * Where message handlers, callbacks of operations and what depends on futures run.
 */
public enum HandlerThread {

	/**
	 * On the handler executor: they may block.
	 */
	EXECUTOR,

	/**
	 * On the thread that takes the completions, which saves the way to another thread.
	 * They must not block: all connections of that thread would wait for them. What no
	 * completion causes, the end of a connection for instance, is told on the handler
	 * executor all the same.
	 */
	COMPLETION_THREAD

}
