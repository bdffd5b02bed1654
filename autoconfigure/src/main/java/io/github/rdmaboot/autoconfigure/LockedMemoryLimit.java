package io.github.rdmaboot.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Limit of locked memory of this process, {@code RLIMIT_MEMLOCK}, as the kernel tells it.
 */
final class LockedMemoryLimit {

	private static final Path LIMITS = Path.of("/proc/self/limits");

	private static final Pattern LINE = Pattern.compile("Max locked memory +(\\w+) +(\\w+) +bytes *");

	private LockedMemoryLimit() {
	}

	// What to put behind "the limit of locked memory", empty where nothing is known.
	static String describe() {
		try {
			return describe(Files.readAllLines(LIMITS));
		}
		catch (IOException ex) {
			return "";
		}
	}

	static String describe(List<String> limits) {
		return limits.stream()
			.map(LINE::matcher)
			.filter(Matcher::matches)
			.map((line) -> " (" + bytes(line.group(1)) + " now, " + bytes(line.group(2)) + " as a user may raise it)")
			.findFirst()
			.orElse("");
	}

	private static String bytes(String limit) {
		return limit.equals("unlimited") ? limit : limit + " bytes";
	}

}
