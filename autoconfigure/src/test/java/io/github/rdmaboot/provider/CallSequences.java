package io.github.rdmaboot.provider;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Runs random sequences of legal and illegal calls and cuts one that fails down to the
 * calls that are needed for it. The system property {@code rdma.test.sequences} sets how
 * many, {@code rdma.test.seed} the seed of the first.
 */
final class CallSequences {

	private static final int LENGTH = 150;

	private static final long SHRINKING_NANOS = TimeUnit.SECONDS.toNanos(60);

	private CallSequences() {
	}

	/**
	 * Run sequences until one fails.
	 * @param count how many, unless the system property says otherwise
	 * @param check runs one and returns what is wrong or {@code null}
	 */
	static void check(int count, Check check) {
		long first = Long.getLong("rdma.test.seed", 1);
		int sequences = Integer.getInteger("rdma.test.sequences", count);
		System.out.println(sequences + " random call sequences, -Drdma.test.seed=" + first);
		for (long seed = first; seed < first + sequences; seed++) {
			List<ModelCommand> commands = ModelCommand.sequence(seed, LENGTH);
			if (check.problemWith(commands) != null) {
				List<ModelCommand> fewer = shrink(commands, check);
				throw new AssertionError("-Drdma.test.seed=%d -Drdma.test.sequences=1 fails, cut down to %s: %s"
					.formatted(seed, fewer, check.problemWith(fewer)));
			}
		}
	}

	private static List<ModelCommand> shrink(List<ModelCommand> commands, Check check) {
		long deadline = System.nanoTime() + SHRINKING_NANOS;
		List<ModelCommand> failing = commands;
		for (int size = failing.size() / 2; size > 0; size /= 2) {
			for (int from = 0; from < failing.size() && System.nanoTime() < deadline;) {
				List<ModelCommand> fewer = new ArrayList<>(failing);
				fewer.subList(from, Math.min(from + size, fewer.size())).clear();
				if (check.problemWith(fewer) != null) {
					failing = fewer;
				}
				else {
					from += size;
				}
			}
		}
		return failing;
	}

	/**
	 * Compare two results of one sequence.
	 * @param one a result
	 * @param other another
	 * @return what is wrong or {@code null}
	 */
	static @Nullable String compare(CallRun.Result one, CallRun.Result other) {
		for (CallRun.Result result : List.of(one, other)) {
			if (result.contradiction() != null) {
				return "%n%s%nthe model says%n%s".formatted(String.join(System.lineSeparator(), result.trace()),
						result.contradiction());
			}
		}
		return one.equals(other) ? null : one + " differs from " + other;
	}

	@FunctionalInterface
	interface Check {

		@Nullable String problemWith(List<ModelCommand> commands);

	}

}
