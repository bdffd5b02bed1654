package io.github.rdmaboot.endpoint;

import java.time.Duration;

/**
 * Checks of the settings records, with messages that name the setting and the value.
 */
final class Settings {

	private Settings() {
	}

	static void atLeast(String name, long value, long min) {
		if (value < min) {
			throw new IllegalArgumentException(name + " is " + value + " but must be at least " + min);
		}
	}

	static void between(String name, long value, long min, long max) {
		if (value < min || value > max) {
			throw new IllegalArgumentException(name + " is " + value + " but must be from " + min + " to " + max);
		}
	}

	static void notNegative(String name, Duration value) {
		if (value.isNegative()) {
			throw new IllegalArgumentException(name + " is " + value + " but must not be negative");
		}
	}

	static void positive(String name, Duration value) {
		if (value.isNegative() || value.isZero()) {
			throw new IllegalArgumentException(name + " is " + value + " but must be longer than zero");
		}
	}

	static void notEmpty(String name, String value) {
		if (value.isBlank()) {
			throw new IllegalArgumentException(name + " is empty but must be set");
		}
	}

}
