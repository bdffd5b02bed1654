package io.github.rdmaboot.verbs;

import java.time.Duration;

/**
 * Takes the completions of the queues that are attached to it, with a thread of its own.
 * Queues are attached and detached by any thread.
 */
interface CompletionPoller {

	// Return the completion channel that the queues need, 0 for none.
	long channel();

	// Take the completions of a queue from now on.
	void attach(CompletionQueue queue);

	// Leave a queue alone. The thread may be about to look at it, which does no harm: a
	// queue lets nobody in once it is closed.
	void detach(CompletionQueue queue);

	// Look no more for events of a queue than it expects completions.
	void closes(CompletionQueue queue);

	// Take the completions of a queue again soon, for another thread left some. Neither
	// blocks nor allocates.
	void goOn(CompletionQueue queue);

	// End the thread within a tick: waking it may be the very call that is stuck.
	void end();

	// End the thread and free what it used: as soon as it has ended, should it be inside
	// a handler. All queues must have been destroyed.
	void close(Duration timeout);

}
