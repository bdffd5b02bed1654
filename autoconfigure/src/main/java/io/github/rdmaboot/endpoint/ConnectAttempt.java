package io.github.rdmaboot.endpoint;

import java.time.Duration;

import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.Errno;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of a client to connect: carries out the sequence, tells the client of a
 * failure and the listeners of the outcome. Run by one thread; a failure may come from
 * another one, if that thread is left behind in a call.
 */
final class ConnectAttempt implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(ConnectAttempt.class);

	private final RdmaClient client;

	private final EndpointRuntime runtime;

	private final RdmaConnection connection;

	private final ConnectSequence sequence;

	private final CallWatch watch;

	private volatile long begin;

	ConnectAttempt(RdmaClient client, EndpointRuntime runtime, RdmaConnection connection, ConnectSequence sequence) {
		this.client = client;
		this.runtime = runtime;
		this.connection = connection;
		this.sequence = sequence;
		this.watch = new CallWatch(runtime, runtime.connectExecutor(), client.name(), client.address(), this::failed);
	}

	@Override
	public void run() {
		try {
			connect();
		}
		finally {
			// Otherwise whoever gave the attempt up has yet to tell so.
			if (!this.watch.isOverdue()) {
				this.client.attemptOver(this.connection);
			}
		}
	}

	private void connect() {
		this.begin = System.nanoTime();
		RdmaEndpointException failure;
		try {
			this.sequence.run(this.connection, this.runtime, this.watch);
			// Before listeners are told, for they may wait for the next connection.
			this.client.attemptOver(this.connection);
			ended(null);
			return;
		}
		catch (ConnectionClosedException ex) {
			logger.debug("{} was closed while connecting", this.connection, ex);
			if (!this.watch.isOverdue()) {
				this.connection.end(DestroyTrigger.MANUAL, ex);
			}
			return;
		}
		catch (RdmaEndpointException ex) {
			failure = ex;
		}
		catch (RuntimeException | Error ex) {
			failure = new RdmaEndpointException(this.client.name(), this.client.address(), "rdma_connect",
					Errno.EIO.value(), "connecting failed: " + ex, ex);
		}
		if (this.watch.isOverdue()) {
			logger.debug("{}: a call failed after the attempt had been given up", this.connection, failure);
		}
		else {
			failed(failure);
		}
	}

	private void failed(RdmaEndpointException failure) {
		try {
			ended(failure);
			this.client.attemptFailed(this.connection, failure);
		}
		finally {
			this.client.attemptOver(this.connection);
		}
	}

	private void ended(@Nullable RdmaEndpointException failure) {
		this.runtime.connectEnded(this.client.name(), Duration.ofNanos(System.nanoTime() - this.begin), failure);
	}

}
