package io.github.rdmaboot.endpoint;

import java.net.UnknownHostException;
import java.time.Duration;

/**
 * Checks of the settings records, with messages that name the setting and the value.
 */
final class Settings {

	private static final String UNITS_OF_SIZE = "BKMGT";

	/** What the C libraries take as milliseconds in an {@code int}. */
	private static final Duration LONGEST = Duration.ofDays(24);

	private Settings() {
	}

	static void atLeast(String name, long value, long min) {
		atLeast(name, value, min, "");
	}

	// The same for a reason, which the message tells.
	static void atLeast(String name, long value, long min, String reason) {
		if (value < min) {
			throw new IllegalArgumentException(name + " is " + value + " but must be at least " + min + reason);
		}
	}

	static void between(String name, long value, long min, long max) {
		if (value < min || value > max) {
			throw new IllegalArgumentException(name + " is " + value + " but must be from " + min + " to " + max);
		}
	}

	static void between(String name, Duration value, Duration min, Duration max) {
		if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
			throw new IllegalArgumentException(
					name + " is " + text(value) + " but must be from " + text(min) + " to " + text(max));
		}
	}

	static void sizeBetween(String name, long bytes, long min, long max) {
		if (bytes < min || bytes > max) {
			throw new IllegalArgumentException(
					name + " is " + text(bytes) + " but must be from " + text(min) + " to " + text(max));
		}
	}

	static void notLonger(String name, byte[] bytes, int max) {
		if (bytes.length > max) {
			throw new IllegalArgumentException(
					name + " is " + text(bytes.length) + " long but must be from 0B to " + text(max));
		}
	}

	static void notNegative(String name, Duration value) {
		if (value.isNegative()) {
			throw new IllegalArgumentException(name + " is " + text(value) + " but must not be negative");
		}
		notTooLong(name, value);
	}

	static void positive(String name, Duration value) {
		if (value.isNegative() || value.isZero()) {
			throw new IllegalArgumentException(name + " is " + text(value) + " but must be longer than zero");
		}
		notTooLong(name, value);
	}

	private static void notTooLong(String name, Duration value) {
		if (value.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					name + " is " + text(value) + " but must not be longer than " + LONGEST.toDays() + "d");
		}
	}

	// As it may be configured: a whole number of the largest unit that fits.
	static String text(long bytes) {
		for (int shift = 40; shift > 0 && bytes != 0; shift -= 10) {
			if (bytes % (1L << shift) == 0) {
				return (bytes >> shift) + UNITS_OF_SIZE.substring(shift / 10, shift / 10 + 1) + "B";
			}
		}
		return bytes + "B";
	}

	// As it may be configured: in seconds if it is a whole number of them.
	static String text(Duration duration) {
		if (duration.getNano() == 0 || duration.compareTo(LONGEST) > 0) {
			return duration.toSeconds() + "s";
		}
		if (duration.getNano() % 1_000_000 == 0) {
			return duration.toMillis() + "ms";
		}
		return (duration.getNano() % 1000 == 0) ? duration.toNanos() / 1000 + "us" : duration.toNanos() + "ns";
	}

	// Of a zone is only known when the address is used whether there is such a network
	// device.
	static void host(String name, String value) {
		notEmpty(name, value);
		try {
			AddressLiteral.read(value.replaceFirst("%[^\\]]*", ""));
		}
		catch (UnknownHostException ex) {
			throw new IllegalArgumentException(
					name + " is " + value + " but must be an address or a host name, without a port or a scheme", ex);
		}
	}

	static void notEmpty(String name, String value) {
		if (value.isBlank()) {
			throw new IllegalArgumentException(name + " is empty but must be set");
		}
	}

}
