package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.RdmaException;

/**
 * Tells whether a failure is news, for many attempts that fail with the same errno are
 * worth one line in the log. Guarded by the monitor of its endpoint.
 */
final class RepeatedErrno {

	private int last;

	boolean isNews(Throwable failure) {
		int errno = (failure instanceof RdmaException error) ? error.errno() : 0;
		boolean news = errno == 0 || errno != this.last;
		this.last = errno;
		return news;
	}

	// Whatever fails next is news.
	void reset() {
		this.last = 0;
	}

}
