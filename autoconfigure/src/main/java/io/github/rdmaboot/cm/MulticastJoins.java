package io.github.rdmaboot.cm;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Multicast groups that a native id has joined or is joining, by the number that each
 * join was given and that its events carry. The monitor of this object guards them; the
 * calls and the channel's thread come by.
 */
final class MulticastJoins {

	private final List<Join> joins = new ArrayList<>(1);

	private long last;

	// Begin a join and return its number, which is never 0.
	synchronized long begin(InetSocketAddress group) {
		Join join = new Join(++this.last, group);
		this.joins.add(join);
		return join.number;
	}

	// A join could not be begun.
	synchronized void cancel(long number) {
		this.joins.removeIf((join) -> join.number == number);
	}

	// An event of a join was fetched. Returns the group, or null if it was left.
	synchronized @Nullable InetSocketAddress answered(long number) {
		for (Join join : this.joins) {
			if (join.number == number) {
				join.answered = true;
				return join.group;
			}
		}
		return null;
	}

	// Whether the answer to the join of a group has not been fetched.
	synchronized boolean isUnanswered(InetSocketAddress group) {
		return this.joins.stream().anyMatch((join) -> !join.answered && join.group.equals(group));
	}

	synchronized boolean isAnyUnanswered() {
		return this.joins.stream().anyMatch((join) -> !join.answered);
	}

	// A group was left, so that no event of it comes any more.
	synchronized void left(InetSocketAddress group) {
		this.joins.removeIf((join) -> join.group.equals(group));
	}

	/**
	 * Join of one group.
	 */
	private static final class Join {

		private final long number;

		private final InetSocketAddress group;

		private boolean answered;

		private Join(long number, InetSocketAddress group) {
			this.number = number;
			this.group = group;
		}

	}

}
