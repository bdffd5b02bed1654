package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.verbs.QueuePair;

/**
 * Writes headers that go in front of the content of messages, for devices without
 * immediate data. A header is in the scratch memory of the slot whose message it heads,
 * and the first buffer of its request. Neither locks nor allocates.
 */
final class ContentHeaders {

	private final QueuePair queuePair;

	private final SendScratch scratch;

	ContentHeaders(QueuePair queuePair, SendScratch scratch) {
		this.queuePair = queuePair;
		this.scratch = scratch;
	}

	// Give a request its header just before it is posted. Once the gate is closed the
	// memory is lent to others, and the post will be refused.
	void write(int index, SendWorkRequest request, int header) {
		if (this.queuePair.enter()) {
			try {
				this.scratch.head(index, request, header);
			}
			finally {
				this.queuePair.leave();
			}
		}
	}

}
