package io.github.rdmaboot.verbs;

import java.util.Arrays;

/**
 * Memory region of a pool and what of it is free: extents, in the order of their offsets
 * and never next to each other. Not thread-safe: its pool guards it.
 */
final class MemorySlab {

	private final MemoryRegion region;

	private int[] offsets = new int[8];

	private int[] lengths = new int[8];

	private int extents = 1;

	private int free;

	MemorySlab(MemoryRegion region) {
		this.region = region;
		this.free = (int) region.length();
		this.lengths[0] = this.free;
	}

	MemoryRegion region() {
		return this.region;
	}

	boolean isUnused() {
		return this.free == this.region.length();
	}

	// Take the first piece that is large enough. Returns its offset, or -1 if there is
	// none.
	int take(int bytes) {
		if (bytes > this.free) {
			return -1;
		}
		for (int i = 0; i < this.extents; i++) {
			if (this.lengths[i] >= bytes) {
				int offset = this.offsets[i];
				this.offsets[i] += bytes;
				this.lengths[i] -= bytes;
				this.free -= bytes;
				if (this.lengths[i] == 0) {
					remove(i);
				}
				return offset;
			}
		}
		return -1;
	}

	// Free a piece, and join it with what is free on either side of it.
	void giveBack(int offset, int bytes) {
		this.free += bytes;
		int next = -Arrays.binarySearch(this.offsets, 0, this.extents, offset) - 1;
		boolean joinsBefore = next > 0 && this.offsets[next - 1] + this.lengths[next - 1] == offset;
		boolean joinsNext = next < this.extents && offset + bytes == this.offsets[next];
		if (joinsBefore) {
			this.lengths[next - 1] += bytes;
			if (joinsNext) {
				this.lengths[next - 1] += this.lengths[next];
				remove(next);
			}
		}
		else if (joinsNext) {
			this.offsets[next] = offset;
			this.lengths[next] += bytes;
		}
		else {
			insert(next, offset, bytes);
		}
	}

	private void insert(int index, int offset, int bytes) {
		if (this.extents == this.offsets.length) {
			this.offsets = Arrays.copyOf(this.offsets, 2 * this.extents);
			this.lengths = Arrays.copyOf(this.lengths, 2 * this.extents);
		}
		System.arraycopy(this.offsets, index, this.offsets, index + 1, this.extents - index);
		System.arraycopy(this.lengths, index, this.lengths, index + 1, this.extents - index);
		this.offsets[index] = offset;
		this.lengths[index] = bytes;
		this.extents++;
	}

	private void remove(int index) {
		this.extents--;
		System.arraycopy(this.offsets, index + 1, this.offsets, index, this.extents - index);
		System.arraycopy(this.lengths, index + 1, this.lengths, index, this.extents - index);
	}

}
