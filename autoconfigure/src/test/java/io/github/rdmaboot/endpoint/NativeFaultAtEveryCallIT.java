package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.Footprint;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;

/**
 * The faults around the calls of librdmacm and libibverbs, one after the other; after
 * each the process holds what it held before. A call that makes or changes something
 * fails before it reaches the library. One that frees something is made and then reported
 * as failed, for what it did not free would be left for good.
 * <p>
 * With {@code -Drdma.test.faults=all} all of them, which takes a quarter of an hour, with
 * {@code 2/4} for instance the second quarter of them. Else only the first call of each
 * method fails, with one errno, and only those block that free something.
 */
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class NativeFaultAtEveryCallIT extends FaultAtEveryCallTests {

	private static final String FAULTS = System.getProperty("rdma.test.faults", "essential");

	/** What frees something and is no step of a destroy that a report names. */
	private static final Set<String> FREEING = Set.of("rdmaDestroyEventChannel", "destroyWaker",
			"closeCompletionChannel", "close");

	private @Nullable Footprint before;

	@Override
	RdmaProvider openProvider() {
		return JnaRdmaProvider.open();
	}

	// An event may arrive in the instant in which its id is destroyed.
	@Override
	CallOrder newOrder() {
		return new CallOrder(false);
	}

	@Override
	ShutdownSettings limits(Fault fault) {
		return new ShutdownSettings(Duration.ofSeconds(10), Duration.ofMillis(1500), Duration.ofSeconds(1),
				(fault.kind() == Kind.BLOCK) ? Duration.ofMillis(800) : Duration.ofSeconds(5));
	}

	@Override
	Duration timeOfUse() {
		return Duration.ofSeconds(3);
	}

	@Override
	int runsAtOnce() {
		return 1;
	}

	@Override
	List<Fault> select(List<Fault> faults) {
		Set<String> failed = new HashSet<>();
		List<Fault> selected = switch (FAULTS) {
			case "essential" -> faults.stream().filter((fault) -> isEssential(fault, failed)).toList();
			case "all" -> faults;
			default -> part(faults, FAULTS.split("/"));
		};
		return selected.stream().map(this::sparingTheKernel).toList();
	}

	private static List<Fault> part(List<Fault> faults, String[] numberAndParts) {
		int number = Integer.parseInt(numberAndParts[0]);
		int parts = Integer.parseInt(numberAndParts[1]);
		return faults.subList((number - 1) * faults.size() / parts, number * faults.size() / parts);
	}

	private boolean isEssential(Fault fault, Set<String> failed) {
		return fault.number() == 1 && switch (fault.kind()) {
			case FAIL -> failed.add(fault.method());
			case BLOCK -> isReported(fault);
			default -> false;
		};
	}

	// What a call does not free stays in the kernel, or open, until the process ends, so
	// one that is to fail does it all the same.
	private Fault sparingTheKernel(Fault fault) {
		if (!isReported(fault) && !FREEING.contains(fault.method())) {
			return fault;
		}
		return switch (fault.kind()) {
			case FAIL -> with(fault, Kind.FAIL_AFTERWARDS);
			case ERROR -> with(fault, Kind.ERROR_AFTERWARDS);
			default -> fault;
		};
	}

	private static Fault with(Fault fault, Kind kind) {
		return new Fault(fault.method(), fault.number(), kind, fault.errno());
	}

	@Override
	void checkLeft(Fault fault) {
		Footprint before = this.before;
		if (before == null) {
			// What the process opens once and keeps is open since the first run.
			this.before = Footprint.now();
			return;
		}
		before.awaitNothingMore(Duration.ofSeconds(30), fault.toString());
	}

}
