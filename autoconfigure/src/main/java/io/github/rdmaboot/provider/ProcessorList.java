package io.github.rdmaboot.provider;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Processors, in the form in which Linux lists them: {@code 0-3,8} for instance.
 */
public final class ProcessorList {

	private static final Path STATUS = Path.of("/proc/self/status");

	private static final Pattern ALLOWED = Pattern.compile("Cpus_allowed_list:\\s*([0-9,-]+)");

	private final String text;

	ProcessorList(String text) {
		this.text = text;
	}

	/**
	 * Return the processors that this process may use.
	 * @return those that Linux names; elsewhere as many as Java sees, from 0
	 */
	public static ProcessorList ofThisProcess() {
		return ofProcess(STATUS);
	}

	static ProcessorList ofProcess(Path status) {
		try (Stream<String> lines = Files.lines(status)) {
			return lines.map(ALLOWED::matcher)
				.filter(Matcher::matches)
				.map((matcher) -> new ProcessorList(matcher.group(1)))
				.findFirst()
				.orElseGet(ProcessorList::ofJava);
		}
		catch (IOException ex) {
			// It is not Linux, or hides this.
			return ofJava();
		}
	}

	private static ProcessorList ofJava() {
		int last = Runtime.getRuntime().availableProcessors() - 1;
		return new ProcessorList((last == 0) ? "0" : "0-" + last);
	}

	/**
	 * Return whether a processor is among them.
	 * @param cpu its number, from 0
	 * @return whether it is
	 */
	public boolean contains(int cpu) {
		for (String range : this.text.split(",")) {
			String[] ends = range.split("-");
			if (cpu >= Integer.parseInt(ends[0]) && cpu <= Integer.parseInt(ends[ends.length - 1])) {
				return true;
			}
		}
		return false;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
