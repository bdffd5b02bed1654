package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a failure says of a call that did not return.
 *
 * @param function the call
 * @param after how long it had taken by then
 */
record OverdueCall(String function, Duration after) {

	private static final Pattern MESSAGE = Pattern.compile("(\\w+) did not return within (\\d+) ms \\(ETIMEDOUT\\)");

	/** How late a timer of a busy machine may be. */
	private static final Duration LATE = Duration.ofSeconds(5);

	static OverdueCall in(Throwable failure) {
		Matcher message = MESSAGE.matcher(failure.getMessage());
		assertThat(message.find()).as("'%s' tells of a call and its time", failure.getMessage()).isTrue();
		return new OverdueCall(message.group(1), Duration.ofMillis(Long.parseLong(message.group(2))));
	}

	void isGivenUpAt(String function, Duration limit) {
		assertThat(this.function).as("the call that did not return").isEqualTo(function);
		assertThat(this.after).as("time after which %s, whose limit is %s, was given up", function, limit)
			.isBetween(limit, limit.plus(LATE));
	}

}
