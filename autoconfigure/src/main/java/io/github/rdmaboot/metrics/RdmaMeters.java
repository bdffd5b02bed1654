package io.github.rdmaboot.metrics;

/**
 * Names of the meters and of their tags.
 */
final class RdmaMeters {

	/** Timer of destroys of endpoints and connections. */
	static final String DESTROY = "rdma.endpoint.destroy";

	/** Timer of the steps of destroys. */
	static final String DESTROY_STEP = "rdma.endpoint.destroy.step";

	/** Counter of failed steps of destroys. */
	static final String DESTROY_FAILURES = "rdma.endpoint.destroy.failures";

	/** Long task timer of destroys that are under way or stuck. */
	static final String DESTROY_ACTIVE = "rdma.endpoint.destroy.active";

	/** Timer of attempts to connect or accept. */
	static final String CONNECT = "rdma.endpoint.connect";

	/** Gauge of CM ids by state. */
	static final String CM_IDS = "rdma.cm.ids";

	/** Counter of CM events. */
	static final String CM_EVENTS = "rdma.cm.events";

	/** Gauge of CM events that were delivered but not acknowledged. */
	static final String CM_EVENTS_UNACKED = "rdma.cm.events.unacked";

	/** Gauge of established connections. */
	static final String CONNECTIONS = "rdma.connections";

	/** Counter of messages. */
	static final String MESSAGES = "rdma.messages";

	/** Counter of the bytes of messages. */
	static final String BYTES = "rdma.bytes";

	/** Counter of operations on memory of peers. */
	static final String OPERATIONS = "rdma.operations";

	/** Counter of the bytes of operations on memory of peers. */
	static final String OPERATION_BYTES = "rdma.operation.bytes";

	/** Counter of buffers that came back when their connection was gone. */
	static final String RECEIVES_RETURNED = "rdma.receives.returned";

	/** Counter of work requests that did not succeed. */
	static final String COMPLETION_ERRORS = "rdma.completion.errors";

	/** Gauge of registered memory. */
	static final String MEMORY_REGISTERED = "rdma.memory.registered";

	/** Gauge of the memory that pools have registered. */
	static final String MEMORY_POOL = "rdma.memory.pool";

	/** Counter of lost connections that were made anew. */
	static final String RECONNECTS = "rdma.reconnects";

	static final String ENDPOINT = "endpoint";

	static final String RESULT = "result";

	static final String ERROR = "error";

	static final String TRIGGER = "trigger";

	static final String STEP = "step";

	static final String STATE = "state";

	static final String EVENT = "event";

	static final String KIND = "kind";

	static final String DIRECTION = "direction";

	static final String STATUS = "status";

	/** Value of {@link #ERROR} when there was none. */
	static final String NONE = "none";

	private RdmaMeters() {
	}

}
