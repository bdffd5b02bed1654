package io.github.rdmaboot.provider.jna;

import io.github.rdmaboot.provider.HandleList;

/**
 * Reads arrays of pointers that a library returned.
 */
final class HandleLists {

	private HandleLists() {
	}

	static HandleList read(long list, int count) {
		long[] handles = new long[count];
		for (int i = 0; i < count; i++) {
			handles[i] = RawMemory.getLong(list + (long) Long.BYTES * i);
		}
		return new HandleList(list, handles);
	}

}
