package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;

import io.github.rdmaboot.cm.EventChannel;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.verbs.Devices;
import org.jspecify.annotations.Nullable;

/**
 * What started endpoints share, from one start of their registry to its stop.
 */
interface EndpointRuntime {

	EventChannel channel();

	Devices devices();

	// Return the executor of message handlers and of completed futures.
	Executor handlerExecutor();

	// Return the executor of starts, which wait for nobody but multicast groups.
	Executor startExecutor();

	// Return the executor of attempts to connect, which wait for the peer.
	Executor connectExecutor();

	// Return the executor of acceptances and of what else waits for nobody.
	Executor acceptExecutor();

	// Return the timer of calls, which limits those under way until they have ended, also
	// during a stop.
	ScheduledExecutorService scheduler();

	// Attempt something after a pause, on the timer's thread, unless the registry is
	// being stopped then.
	Future<?> attemptLater(Runnable attempt, Duration pause);

	// Run a task that waits for nobody after a time, on the timer's thread only if there
	// is no other.
	Future<?> executeLater(Runnable task, long nanos);

	// Return how long one native call may take that is no part of a destroy. Attempts to
	// connect and joins have limits of their endpoint.
	Duration callTimeout();

	// Whether connection requests are to be rejected, because the registry will be
	// stopped.
	boolean isQuiesced();

	// Whether the registry is being stopped, so that nothing may be started any more.
	boolean isClosing();

	// Reject and destroy the id of a connection request that nobody wants.
	void destroyOrphan(OwnedCmId id);

	// Destroy a connection on a thread made for it.
	void destroyLater(RdmaConnection connection, DestroyTrigger trigger);

	// Destroy a whole endpoint on a thread made for it.
	void destroyLater(ManagedEndpoint endpoint, DestroyTrigger trigger);

	void connectEnded(String endpoint, Duration took, @Nullable RdmaEndpointException error);

}
