package io.github.rdmaboot.provider.loopback;

import org.jspecify.annotations.Nullable;

/**
 * Map from numbers, which looks up without making an object of the number. Guarded by the
 * fabric's lock.
 *
 * @param <V> the type of the values
 */
final class IntTable<V> {

	private static final int INITIAL_CAPACITY = 16;

	private int[] keys = new int[INITIAL_CAPACITY];

	private @Nullable Object[] values = new Object[INITIAL_CAPACITY];

	private int size;

	@SuppressWarnings("unchecked")
	@Nullable V get(int key) {
		return (V) this.values[find(key)];
	}

	void put(int key, V value) {
		int place = find(key);
		if (this.values[place] == null) {
			this.size++;
		}
		this.keys[place] = key;
		this.values[place] = value;
		if (this.size * 2 > this.keys.length) {
			grow();
		}
	}

	void remove(int key) {
		int gap = find(key);
		if (this.values[gap] == null) {
			return;
		}
		this.values[gap] = null;
		this.size--;
		// What was put behind the gap because its own place was taken moves up.
		int last = this.keys.length - 1;
		for (int place = (gap + 1) & last; this.values[place] != null; place = (place + 1) & last) {
			Object value = this.values[place];
			this.values[place] = null;
			int home = find(this.keys[place]);
			this.keys[home] = this.keys[place];
			this.values[home] = value;
		}
	}

	int size() {
		return this.size;
	}

	// The place of a key, or the free one where it would be put.
	private int find(int key) {
		int last = this.keys.length - 1;
		int place = (key * 0x9e3779b9) >>> 16 & last;
		while (this.values[place] != null && this.keys[place] != key) {
			place = (place + 1) & last;
		}
		return place;
	}

	private void grow() {
		int[] oldKeys = this.keys;
		@Nullable Object[] oldValues = this.values;
		this.keys = new int[oldKeys.length * 2];
		this.values = new Object[oldKeys.length * 2];
		for (int i = 0; i < oldKeys.length; i++) {
			if (oldValues[i] != null) {
				int place = find(oldKeys[i]);
				this.keys[place] = oldKeys[i];
				this.values[place] = oldValues[i];
			}
		}
	}

}
