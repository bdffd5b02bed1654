package io.github.rdmaboot.sample;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.concurrent.TimeUnit;

import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Takes bodies by HTTP and answers with what came back over RDMA.
 */
@RestController
@Profile("!server")
class EchoController {

	/** Time from the send to the answer, in microseconds. */
	static final String ROUND_TRIP_HEADER = "X-Rdma-Round-Trip-Micros";

	private final EchoClient client;

	EchoController(EchoClient client) {
		this.client = client;
	}

	// A stream, because a body that is too large need not be read to its end. The answer
	// is never of the request's type: a browser would take somebody's HTML for ours.
	@PostMapping("/echo")
	ResponseEntity<byte[]> echo(InputStream request) throws IOException, InterruptedException {
		int limit = this.client.maxBodySize();
		byte[] body = request.readNBytes(limit + 1);
		if (body.length > limit) {
			throw new EchoFailedException(HttpStatus.CONTENT_TOO_LARGE,
					"A body may have at most " + limit + " bytes, the size of a registered buffer", null);
		}
		Echo echo = this.client.echo(body);
		return ResponseEntity.ok()
			.contentType(MediaType.APPLICATION_OCTET_STREAM)
			.header(ROUND_TRIP_HEADER, Long.toString(TimeUnit.NANOSECONDS.toMicros(echo.roundTrip().toNanos())))
			.body(echo.body());
	}

	@ExceptionHandler
	ProblemDetail failed(EchoFailedException ex) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(ex.status(), String.valueOf(ex.getMessage()));
		problem.setInstance(URI.create("/echo"));
		problem.setProperty("endpoint", this.client.endpoint());
		return problem;
	}

}
