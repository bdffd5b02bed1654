package io.github.rdmaboot.cm;

import org.jspecify.annotations.Nullable;

/**
 * CM ids by the handle of their native id, without an object for each entry or look-up:
 * an open hash table in which what was put behind a gap moves up. Guarded by the lock of
 * the channel that it belongs to.
 */
final class IdTable {

	private static final int INITIAL_CAPACITY = 16;

	// 0 is no handle, so it marks a free place.
	private long[] handles = new long[INITIAL_CAPACITY];

	private @Nullable OwnedCmId[] ids = new OwnedCmId[INITIAL_CAPACITY];

	private int size;

	int size() {
		return this.size;
	}

	@Nullable OwnedCmId get(long handle) {
		return (handle != 0) ? this.ids[place(handle)] : null;
	}

	void put(long handle, OwnedCmId id) {
		if (2 * (this.size + 1) > this.handles.length) {
			grow();
		}
		int place = place(handle);
		if (this.handles[place] == 0) {
			this.size++;
		}
		this.handles[place] = handle;
		this.ids[place] = id;
	}

	void remove(long handle) {
		int gap = place(handle);
		if (this.handles[gap] == 0) {
			return;
		}
		this.size--;
		int mask = this.handles.length - 1;
		for (int next = (gap + 1) & mask; this.handles[next] != 0; next = (next + 1) & mask) {
			// One whose way from its home leads over the gap would not be found any more.
			int home = home(this.handles[next], mask);
			if (((next - home) & mask) >= ((next - gap) & mask)) {
				this.handles[gap] = this.handles[next];
				this.ids[gap] = this.ids[next];
				gap = next;
			}
		}
		this.handles[gap] = 0;
		this.ids[gap] = null;
	}

	// Return the place of a handle, or the free one where it would be put.
	private int place(long handle) {
		int mask = this.handles.length - 1;
		int place = home(handle, mask);
		while (this.handles[place] != 0 && this.handles[place] != handle) {
			place = (place + 1) & mask;
		}
		return place;
	}

	// Handles are addresses, whose lowest bits are 0, or small numbers.
	private static int home(long handle, int mask) {
		return (int) ((handle * 0x9E3779B97F4A7C15L) >>> 32) & mask;
	}

	private void grow() {
		long[] oldHandles = this.handles;
		@Nullable OwnedCmId[] oldIds = this.ids;
		this.handles = new long[2 * oldHandles.length];
		this.ids = new OwnedCmId[2 * oldHandles.length];
		for (int i = 0; i < oldHandles.length; i++) {
			if (oldHandles[i] != 0) {
				int place = place(oldHandles[i]);
				this.handles[place] = oldHandles[i];
				this.ids[place] = oldIds[i];
			}
		}
	}

}
