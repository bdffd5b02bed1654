package io.github.rdmaboot.endpoint;

import java.util.Collection;
import java.util.List;

import io.github.rdmaboot.cm.CmId;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import org.jspecify.annotations.Nullable;

/**
 * Server, client or datagram endpoint: owns a CM id and what hangs on it. All methods may
 * be called from any thread.
 */
public interface RdmaEndpoint {

	/**
	 * Return the configured name.
	 * @return the name
	 */
	String name();

	/**
	 * Return the state.
	 * @return the state
	 */
	EndpointState state();

	/**
	 * Return the CM id that listens, connects or has the datagram queue pair.
	 * @return the CM id, the same object for the endpoint's whole life
	 */
	CmId cmId();

	/**
	 * Return the configured address and port as text, for messages.
	 * @return {@code host:port}
	 */
	String address();

	/**
	 * Return the connections that are established.
	 * @return a snapshot, empty for a datagram endpoint
	 */
	Collection<RdmaConnection> connections();

	/**
	 * Return the error that last took the endpoint down.
	 * @return the error, or {@code null} if there was none since it last came up
	 */
	@Nullable RuntimeException lastError();

	/**
	 * Return what the last destroy of the endpoint or of one of its connections did.
	 * @return the report, or {@code null} before the first
	 */
	@Nullable DestroyReport lastDestroyReport();

	/**
	 * Return the counters of the endpoint.
	 * @return the counters, the same object for the endpoint's whole life
	 */
	EndpointStatistics statistics();

	/**
	 * Return the native calls of destroys that did not return in time. While there are
	 * any the endpoint is {@link EndpointState#QUARANTINED}.
	 * @return the calls, empty as a rule
	 */
	List<StuckCall> stuckCalls();

	/**
	 * Destroy everything native of the endpoint in order and within the configured
	 * limits, whatever state it is in. It stays destroyed until {@link #start()}. A call
	 * that finds a destroy under way waits for that one, unless it comes from inside of
	 * it, from a {@code destroyStarted} of a listener for instance: then it returns at
	 * once.
	 * @return what was done; {@code FAILURE} with a step {@code abandoned} for a call
	 * from inside the destroy, or while a call of the last destroy is stuck
	 */
	DestroyReport destroy();

	/**
	 * Start the endpoint again after {@link #destroy()}; does nothing while it is
	 * started.
	 * @throws RdmaEndpointException if it cannot be started
	 * @throws IllegalStateException while the registry is stopped or a call is stuck
	 */
	void start();

}
