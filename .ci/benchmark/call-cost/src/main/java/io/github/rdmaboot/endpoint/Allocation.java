package io.github.rdmaboot.endpoint;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Prints what operations of connections allocate on all threads of the process. Ends with
 * status 1 when one is above the limit.
 */
public final class Allocation {

	private static final int WARM_UP = 50_000;

	// JMH itself allocates some 6 KiB while it measures, which is spread over these.
	private static final int MEASURED = 100_000;

	// An object takes 16 bytes.
	private static final double LIMIT = 0.5;

	private static final List<Row> ROWS = List.of(new Row("send", FlowControl.NONE),
			new Row("send", FlowControl.CREDITS), new Row("message", FlowControl.NONE),
			new Row("message", FlowControl.CREDITS), new Row("read", FlowControl.NONE),
			new Row("write", FlowControl.NONE), new Row("fetchAndAdd", FlowControl.NONE),
			new Row("batch", FlowControl.NONE));

	private boolean exceeded;

	private Allocation() {
	}

	/**
	 * Run.
	 * @param args the homes of the JDKs to measure with
	 * @throws RunnerException when a benchmark cannot run
	 * @throws IOException when a JDK does not tell its version
	 */
	public static void main(String[] args) throws RunnerException, IOException {
		Allocation allocation = new Allocation();
		for (String home : args) {
			allocation.measure(home);
		}
		System.exit(allocation.exceeded ? 1 : 0);
	}

	private void measure(String home) throws RunnerException, IOException {
		System.out.printf("%nJava %s: bytes per operation, of all threads%n%n", version(home));
		System.out.println("| operation | loopback | native stub | limit |");
		System.out.println("| --- | --- | --- | --- |");
		for (Row row : ROWS) {
			double loopback = allocated(home, row, "loopback");
			double stub = allocated(home, row, "stub");
			boolean exceeded = loopback >= LIMIT || stub >= LIMIT;
			this.exceeded |= exceeded;
			System.out.printf(Locale.ROOT, "| %s | %.3f | %.3f | %.1f |%s%n", row, loopback, stub, LIMIT,
					exceeded ? " EXCEEDED" : "");
		}
	}

	private static double allocated(String home, Row row, String provider) throws RunnerException {
		RunResult result = new Runner(new OptionsBuilder().include("AllocationBenchmark\\." + row.operation() + "$")
			.param("provider", provider)
			.param("flowControl", row.flowControl().name())
			.jvm(home + "/bin/java")
			.jvmArgsAppend("-Xmx256m", "--enable-native-access=ALL-UNNAMED",
					"-Dstub.library=" + System.getProperty("stub.library"))
			.mode(Mode.SingleShotTime)
			.forks(1)
			.warmupIterations(3)
			.warmupBatchSize(WARM_UP)
			.measurementIterations(1)
			.measurementBatchSize(MEASURED)
			.addProfiler(GCProfiler.class)
			.shouldFailOnError(true)
			.verbosity(VerboseMode.valueOf(System.getProperty("verbosity", "SILENT")))
			.build()).runSingle();
		return result.getSecondaryResults().get("gc.alloc.rate.norm").getScore() / MEASURED;
	}

	private static String version(String home) throws IOException {
		try (InputStream release = Files.newInputStream(Path.of(home, "release"))) {
			Properties properties = new Properties();
			properties.load(release);
			return properties.getProperty("JAVA_VERSION").replace("\"", "");
		}
	}

	/**
	 * Line of the table.
	 *
	 * @param operation the benchmark
	 * @param flowControl what messages wait for
	 */
	private record Row(String operation, FlowControl flowControl) {

		@Override
		public String toString() {
			return this.operation + ((this.flowControl == FlowControl.CREDITS) ? " with credits" : "");
		}

	}

}
