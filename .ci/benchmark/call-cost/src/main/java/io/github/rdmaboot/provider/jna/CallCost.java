package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.Runtime.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Lets product and JNI take turns, each in a process of its own, and prints the medians
 * as a table. Ends with status 1 when a limit is exceeded.
 */
public final class CallCost {

	private static final String[] OPERATIONS = { "Post", "Poll" };

	private static final String[] BY = { "jni", "product", "bare" };

	private static final int[] LENGTHS = { 1, 16 };

	// Requests in a slice of time that is rarely interrupted, so that other load falls on
	// few slices and the median does not see it.
	private static final int BATCH = 16_000;

	private static final int WARM_UP = 600;

	private static final int SLICES = 300;

	// The profiler counts what JMH allocates itself, spread over all operations.
	private static final double ALLOCATED = 0.5;

	private final int rounds = Integer.getInteger("rounds", 5);

	private boolean exceeded;

	private CallCost() {
	}

	/**
	 * Run.
	 * @param args the homes of the JDKs to measure
	 * @throws RunnerException when a benchmark cannot run
	 */
	public static void main(String[] args) throws RunnerException {
		CallCost cost = new CallCost();
		for (String home : args) {
			cost.measure(home);
		}
		System.exit(cost.exceeded ? 1 : 0);
	}

	private void measure(String home) throws RunnerException {
		Map<String, List<Double>> samples = new HashMap<>();
		for (int round = 0; round < this.rounds; round++) {
			for (String operation : OPERATIONS) {
				for (int length : LENGTHS) {
					for (String by : BY) {
						samples.computeIfAbsent(by + operation + length, (key) -> new ArrayList<>())
							.add(run(home, by + operation, length));
					}
				}
			}
		}
		print(home, samples);
	}

	private static double run(String home, String benchmark, int length) throws RunnerException {
		int calls = BATCH / length;
		RunResult result = new Runner(options(home, benchmark, length).mode(Mode.SingleShotTime)
			.warmupIterations(WARM_UP)
			.warmupBatchSize(calls)
			.measurementIterations(SLICES)
			.measurementBatchSize(calls)
			.build()).runSingle();
		return result.getPrimaryResult().getStatistics().getPercentile(50) / (calls * length);
	}

	private static double allocated(String home, String benchmark, int length) throws RunnerException {
		RunResult result = new Runner(options(home, benchmark, length).mode(Mode.AverageTime)
			.warmupIterations(3)
			.warmupTime(TimeValue.seconds(1))
			.measurementIterations(3)
			.measurementTime(TimeValue.seconds(1))
			.addProfiler(GCProfiler.class)
			.build()).runSingle();
		return result.getSecondaryResults().get("gc.alloc.rate.norm").getScore();
	}

	private static ChainedOptionsBuilder options(String home, String benchmark, int length) {
		return new OptionsBuilder().include("CallCostBenchmark\\." + benchmark + "$")
			.param("length", Integer.toString(length))
			.jvm(home + "/bin/java")
			.jvmArgsAppend("-Xmx256m", "--enable-native-access=ALL-UNNAMED",
					"-Dstub.library=" + System.getProperty("stub.library"))
			.timeUnit(TimeUnit.NANOSECONDS)
			.forks(1)
			.shouldFailOnError(true)
			.verbosity(VerboseMode.SILENT);
	}

	private void print(String home, Map<String, List<Double>> samples) throws RunnerException {
		int version = version(home);
		System.out.printf(Locale.ROOT, "%nJava %d: ns per work request or completion, medians of %d rounds%n%n",
				version, this.rounds);
		System.out.println("| operation | JNI | product | ratio | limit | B/op | JNI without objects |");
		System.out.println("| --- | --- | --- | --- | --- | --- | --- |");
		for (String operation : OPERATIONS) {
			for (int length : LENGTHS) {
				List<Double> jni = samples.get("jni" + operation + length);
				List<Double> product = samples.get("product" + operation + length);
				double ratio = median(
						IntStream.range(0, this.rounds).mapToDouble((round) -> product.get(round) / jni.get(round)));
				double limit = limit(version, length);
				double bytes = allocated(home, "product" + operation, length);
				boolean fails = ratio > limit || bytes >= ALLOCATED;
				this.exceeded |= fails;
				System.out.printf(Locale.ROOT, "| %s of %d | %.1f | %.1f | %.2f | %.1f | %.3f | %.1f |%s%n",
						operation.toLowerCase(Locale.ROOT), length, median(jni), median(product), ratio, limit, bytes,
						median(samples.get("bare" + operation + length)), fails ? " EXCEEDED" : "");
			}
		}
	}

	private static int version(String home) {
		try (InputStream release = Files.newInputStream(Path.of(home, "release"))) {
			Properties properties = new Properties();
			properties.load(release);
			return Version.parse(properties.getProperty("JAVA_VERSION").replace("\"", "")).feature();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static double limit(int version, int length) {
		if (version >= 22) {
			return (length == 1) ? 1.5 : 1.3;
		}
		return (length == 1) ? 10 : 2.5;
	}

	private static double median(List<Double> values) {
		return median(values.stream().mapToDouble(Double::doubleValue));
	}

	private static double median(DoubleStream values) {
		double[] sorted = values.sorted().toArray();
		return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
	}

}
