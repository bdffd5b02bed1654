package io.github.rdmaboot.sample;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.rdmaboot.endpoint.ConnectionClosedException;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaConnection;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;

/**
 * Sends bodies over the client endpoint {@code echo-client} and waits for what comes
 * back. May be called from many threads at once.
 * <p>
 * Messages carry no number: a reliable connection keeps their order and the server
 * answers in it, so the n-th answer belongs to the n-th message. The monitor makes
 * sending a message and queueing for its answer one step. An answer that comes after the
 * caller has given up still ends its own place in the queue, so the others are not
 * shifted.
 */
@Component
@Profile("!server")
class EchoClient {

	private static final Logger logger = LoggerFactory.getLogger(EchoClient.class);

	private final RdmaClient client;

	private final Duration timeout;

	/** One permit per send buffer, so that nobody waits for a buffer in the monitor. */
	private final Semaphore permits;

	EchoClient(@Qualifier("echo-client") RdmaClient client, EchoProperties properties) {
		this.client = client;
		this.timeout = properties.timeout();
		this.permits = new Semaphore(client.settings().memory().bufferCount(), true);
	}

	String endpoint() {
		return this.client.name();
	}

	int maxBodySize() {
		return this.client.settings().memory().bufferSize();
	}

	/**
	 * Send a body and wait for the answer.
	 * @param body the body, from 0 to {@link #maxBodySize()} bytes
	 * @return the answer
	 * @throws EchoFailedException if no answer came in time, or the connection is down
	 * @throws InterruptedException if the thread was interrupted
	 */
	Echo echo(byte[] body) throws InterruptedException {
		long deadline = System.nanoTime() + this.timeout.toNanos();
		if (!this.permits.tryAcquire(this.timeout.toNanos(), TimeUnit.NANOSECONDS)) {
			throw timedOut("no earlier body was answered", null);
		}
		long begin = System.nanoTime();
		try {
			byte[] answer = exchange(body).get(Math.max(0, deadline - begin), TimeUnit.NANOSECONDS);
			return new Echo(answer, Duration.ofNanos(System.nanoTime() - begin));
		}
		catch (TimeoutException ex) {
			throw timedOut("the peer did not answer", ex);
		}
		catch (ExecutionException ex) {
			throw down(Objects.requireNonNullElse(ex.getCause(), ex));
		}
	}

	private CompletableFuture<byte[]> exchange(byte[] body) {
		try {
			RdmaConnection connection = this.client.connection();
			CompletableFuture<byte[]> answer;
			synchronized (this) {
				connection.send(ByteBuffer.wrap(body), (error) -> sent(connection, error));
				answer = connection.receive();
			}
			return answer.whenComplete((bytes, error) -> this.permits.release());
		}
		catch (ConnectionClosedException | RdmaException ex) {
			this.permits.release();
			throw down(ex);
		}
		catch (RuntimeException | Error ex) {
			this.permits.release();
			throw ex;
		}
	}

	// A send that fails ends the connection, of which the answer learns as well.
	private static void sent(RdmaConnection connection, @Nullable RuntimeException error) {
		if (error != null) {
			logger.debug("A body was not delivered on {}", connection, error);
		}
	}

	private EchoFailedException timedOut(String reason, @Nullable TimeoutException cause) {
		return new EchoFailedException(HttpStatus.GATEWAY_TIMEOUT,
				"Within " + this.timeout.toMillis() + " ms " + reason, cause);
	}

	private static EchoFailedException down(Throwable cause) {
		return new EchoFailedException(HttpStatus.SERVICE_UNAVAILABLE, String.valueOf(cause.getMessage()), cause);
	}

}
