package io.github.rdmaboot.verbs;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;

/**
 * Direct memory that begins at a page, as devices pin it.
 */
final class PageMemory {

	static final int PAGE = 4096;

	/** What a buffer and the slack for its alignment may have together. */
	static final int MAX_SIZE = Integer.MAX_VALUE - 2 * PAGE;

	private PageMemory() {
	}

	static int wholePages(int bytes) {
		return (bytes + PAGE - 1) & -PAGE;
	}

	// An aligned slice ends at a page as it begins at one, so it is made of whole pages.
	static ByteBuffer allocate(int size) {
		try {
			return ByteBuffer.allocateDirect(wholePages(size) + PAGE - 1).alignedSlice(PAGE).limit(size).slice();
		}
		catch (OutOfMemoryError ex) {
			RdmaException failure = new RdmaException("ByteBuffer.allocateDirect", Errno.ENOMEM.value(),
					"Java has no " + size + " bytes of direct memory left to register (ENOMEM): " + ex.getMessage()
							+ ". Raise -XX:MaxDirectMemorySize, which is as much as the largest heap unless it is set");
			failure.initCause(ex);
			throw failure;
		}
	}

}
