package io.github.rdmaboot.verbs;

import io.github.rdmaboot.provider.WorkCompletion;

/**
 * Takes the completions of a completion queue, one at a time. Must not block and must not
 * keep the object.
 */
@FunctionalInterface
public interface CompletionHandler {

	/**
	 * A work request completed.
	 * @param completion the completion, valid during the call
	 */
	void onCompletion(WorkCompletion completion);

}
