package io.github.rdmaboot.provider.loopback;

import org.jspecify.annotations.Nullable;

/**
 * Queue pairs of a fabric by number. Guarded by the fabric's lock.
 */
final class QueuePairTable {

	private static final int FIRST = 17;

	private static final int LAST = 0xfffffe;

	private final IntTable<LoopbackQp> byNumber = new IntTable<>();

	private int next = FIRST;

	int add(LoopbackQp qp) {
		while (this.byNumber.get(this.next) != null) {
			advance();
		}
		int number = this.next;
		this.byNumber.put(number, qp);
		advance();
		return number;
	}

	void remove(int number) {
		this.byNumber.remove(number);
	}

	@Nullable LoopbackQp get(int number) {
		return this.byNumber.get(number);
	}

	int size() {
		return this.byNumber.size();
	}

	private void advance() {
		this.next = (this.next == LAST) ? FIRST : this.next + 1;
	}

}
