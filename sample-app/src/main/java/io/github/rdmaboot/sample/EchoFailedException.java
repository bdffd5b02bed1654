package io.github.rdmaboot.sample;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;

/**
 * A body was not echoed: names the HTTP status to answer with, and the reason.
 */
class EchoFailedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final HttpStatus status;

	EchoFailedException(HttpStatus status, String reason, @Nullable Throwable cause) {
		super(reason, cause);
		this.status = status;
	}

	HttpStatus status() {
		return this.status;
	}

}
