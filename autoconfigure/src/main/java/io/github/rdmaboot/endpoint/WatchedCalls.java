package io.github.rdmaboot.endpoint;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

import io.github.rdmaboot.provider.Errno;
import org.jspecify.annotations.Nullable;

/**
 * Has calls made on a thread of a pool while the calling thread waits, which learns at
 * once of one that does not return within its limit.
 */
final class WatchedCalls {

	private final EndpointRuntime runtime;

	private final Executor pool;

	private final String endpoint;

	private final String address;

	WatchedCalls(EndpointRuntime runtime, Executor pool, String endpoint, String address) {
		this.runtime = runtime;
		this.pool = pool;
		this.endpoint = endpoint;
		this.address = address;
	}

	// Make the calls and throw what they throw. The limits of the calls bound the wait,
	// and those of what has all threads of the pool before them. An interrupt ends it
	// with EINTR, and is kept for the caller: the calls go on until they have returned or
	// a destroy ends them, which must follow unless they leave nothing. The C function is
	// that whose answer takes longest.
	void make(String call, Consumer<CallWatch> calls) {
		CompletableFuture<@Nullable Void> outcome = begin(calls);
		try {
			outcome.get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RdmaEndpointException(this.endpoint, this.address, call, Errno.EINTR.value(),
					"the wait for " + call + " was interrupted (EINTR)", ex);
		}
		catch (ExecutionException ex) {
			join(outcome);
		}
	}

	private CompletableFuture<@Nullable Void> begin(Consumer<CallWatch> calls) {
		CompletableFuture<@Nullable Void> outcome = new CompletableFuture<>();
		CallWatch watch = new CallWatch(this.runtime, this.pool, this.endpoint, this.address,
				outcome::completeExceptionally);
		try {
			this.pool.execute(() -> {
				try {
					calls.accept(watch);
					outcome.complete(null);
				}
				catch (RuntimeException | Error ex) {
					outcome.completeExceptionally(ex);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			throw new ConnectionClosedException("RDMA endpoint '" + this.endpoint + "' is stopped", ex);
		}
		return outcome;
	}

	// Wait for an outcome, whatever interrupts, and throw what was thrown elsewhere.
	static <T extends @Nullable Object> T join(CompletableFuture<T> outcome) {
		try {
			return outcome.join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof RuntimeException failure) {
				throw failure;
			}
			if (ex.getCause() instanceof Error failure) {
				throw failure;
			}
			throw ex;
		}
	}

}
