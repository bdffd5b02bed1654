package io.github.rdmaboot.endpoint;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.Errno;
import org.jspecify.annotations.Nullable;

/**
 * What a client tells those who wait for its connection in vain.
 */
final class ClientFailures {

	private final String name;

	private final String address;

	ClientFailures(String name, String address) {
		this.name = name;
		this.address = address;
	}

	// The connection ended without an error.
	RdmaEndpointException closed(DestroyTrigger trigger) {
		return new RdmaEndpointException(this.name, this.address, "rdma_get_cm_event", Errno.ECONNRESET.value(),
				(trigger == DestroyTrigger.MANUAL) ? "the connection was closed by this side"
						: "the peer closed the connection (RDMA_CM_EVENT_DISCONNECTED)",
				null);
	}

	ConnectionClosedException stopped() {
		return new ConnectionClosedException("RDMA client '" + this.name + "' was stopped while connecting", null);
	}

	// The CM id serves no further attempt before the calls have returned.
	ConnectionClosedException stuck(List<StuckCall> calls, @Nullable RuntimeException lastError) {
		return new ConnectionClosedException("RDMA client '" + this.name + "' cannot connect to " + this.address
				+ " while calls are stuck: " + calls, lastError);
	}

	// Wait for a connection, and throw what failed.
	RdmaConnection join(CompletableFuture<RdmaConnection> future) {
		try {
			return future.get();
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RuntimeException cause) {
				throw cause;
			}
			throw new IllegalStateException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RdmaEndpointException(this.name, this.address, "rdma_connect", Errno.EINTR.value(),
					"the wait for the connection was interrupted (EINTR)", ex);
		}
	}

}
