package io.github.rdmaboot.provider.loopback;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Objects of one provider by handle. A handle is never given out twice: its upper half
 * counts the uses of its slot, so a stale one is noticed. Guarded by the fabric's lock.
 */
final class HandleTable {

	private Object[] objects = new Object[64];

	private int[] generations = new int[64];

	private int[] free = new int[64];

	private int freeCount;

	private int used = 1;

	private int live;

	HandleTable() {
		Arrays.fill(this.objects, this);
	}

	long add(Object object) {
		int slot = (this.freeCount > 0) ? this.free[--this.freeCount] : nextSlot();
		this.objects[slot] = object;
		this.live++;
		return ((long) ++this.generations[slot] << 32) | slot;
	}

	<T> T get(String call, long handle, Class<T> type) {
		int slot = (int) handle;
		if (slot > 0 && slot < this.used && this.generations[slot] == (int) (handle >>> 32)
				&& type.isInstance(this.objects[slot])) {
			return type.cast(this.objects[slot]);
		}
		throw new IllegalStateException(
				call + " was called with the handle 0x" + Long.toHexString(handle) + ", which is not a live "
						+ type.getSimpleName() + ": in C this is a use after free and may crash the process");
	}

	void remove(long handle) {
		int slot = (int) handle;
		this.objects[slot] = this;
		this.live--;
		if (this.freeCount == this.free.length) {
			this.free = Arrays.copyOf(this.free, this.freeCount * 2);
		}
		this.free[this.freeCount++] = slot;
	}

	int size() {
		return this.live;
	}

	<T> List<T> all(Class<T> type) {
		List<T> result = new ArrayList<>();
		for (int slot = 1; slot < this.used; slot++) {
			if (type.isInstance(this.objects[slot])) {
				result.add(type.cast(this.objects[slot]));
			}
		}
		return result;
	}

	private int nextSlot() {
		if (this.used == this.objects.length) {
			this.objects = Arrays.copyOf(this.objects, this.used * 2);
			this.generations = Arrays.copyOf(this.generations, this.used * 2);
			Arrays.fill(this.objects, this.used, this.used * 2, this);
		}
		return this.used++;
	}

}
