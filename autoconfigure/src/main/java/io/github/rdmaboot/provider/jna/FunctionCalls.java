package io.github.rdmaboot.provider.jna;

/**
 * Calls of C functions through their address, for the few verbs of the data path. An
 * object belongs to one thread; nothing here allocates. A wrong address ends the process.
 */
interface FunctionCalls {

	/**
	 * Call {@code int f(void *queue, void *requests, void **bad)}.
	 * @param function the function's address
	 * @param queue the first argument
	 * @param requests the second argument
	 * @param bad the third argument
	 * @return what the function returned
	 */
	int post(long function, long queue, long requests, long bad);

	/**
	 * Call {@code int f(void *queue, int count, void *completions)}.
	 * @param function the function's address
	 * @param queue the first argument
	 * @param count the second argument
	 * @param completions the third argument
	 * @return what the function returned
	 */
	int poll(long function, long queue, int count, long completions);

	/**
	 * Call {@code int f(void *queue, int solicitedOnly)}.
	 * @param function the function's address
	 * @param queue the first argument
	 * @param solicitedOnly the second argument
	 * @return what the function returned
	 */
	int arm(long function, long queue, int solicitedOnly);

	/**
	 * Read the pointer at an address.
	 * @param address the address
	 * @return the pointer
	 */
	long pointerAt(long address);

}
