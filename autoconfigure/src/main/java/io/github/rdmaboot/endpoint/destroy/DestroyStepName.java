package io.github.rdmaboot.endpoint.destroy;

/**
 * Steps of an orderly destroy, in the order in which they are carried out: each frees
 * what the later ones may still refer to. A step runs for all members of a destroy before
 * the next one begins, so that all of them share one grace period.
 */
public enum DestroyStepName {

	/** Take no new work: no connection requests, no posts. */
	QUIESCE("quiesce", false, "the call under way"),

	/** Destroy the listening id, after which no connection can be added. */
	DESTROY_LISTENER("destroy-listener", false, "rdma_destroy_id"),

	/** Leave the multicast groups of a datagram endpoint. */
	LEAVE_MULTICAST("leave-multicast", false, "rdma_leave_multicast"),

	/** Ask the peer to disconnect, which moves the queue pair to the error state. */
	DISCONNECT("disconnect", false, "rdma_disconnect"),

	/** Wait for the peer to disconnect, or for questions to and of datagram peers. */
	AWAIT_DISCONNECTED("await-disconnected", true, "rdma_get_cm_event"),

	/** Move the queue pair to the error state if it is not there yet. */
	FLUSH("flush", false, "ibv_modify_qp"),

	/** Wait until every posted request has completed. */
	DRAIN("drain", true, "ibv_poll_cq"),

	/** Destroy the queue pair. */
	DESTROY_QP("destroy-qp", false, "rdma_destroy_qp"),

	/** Destroy the address handles of a datagram endpoint. */
	DESTROY_AH("destroy-ah", false, "ibv_destroy_ah"),

	/** Deregister the memory. */
	DEREG_MR("dereg-mr", false, "ibv_dereg_mr"),

	/** Destroy the completion queue. */
	DESTROY_CQ("destroy-cq", false, "ibv_destroy_cq"),

	/** Give the device back; the last one frees its completion channel and domain. */
	RELEASE_DEVICE("release-device", false, "ibv_dealloc_pd"),

	/** Destroy the connection's id. */
	DESTROY_ID("destroy-id", false, "rdma_destroy_id");

	private final String tag;

	private final boolean wait;

	private final String call;

	DestroyStepName(String tag, boolean wait, String call) {
		this.tag = tag;
		this.wait = wait;
		this.call = call;
	}

	/**
	 * Return the name for logs and metrics.
	 * @return the name in lower case
	 */
	public String tag() {
		return this.tag;
	}

	/**
	 * Return whether only datagram endpoints have the step.
	 * @return whether it is one of theirs
	 */
	public boolean isOfDatagramsOnly() {
		return this == LEAVE_MULTICAST || this == DESTROY_AH;
	}

	/**
	 * Return whether the step waits for something that may never come, so that reaching
	 * the limit is no failure.
	 * @return whether it is a wait
	 */
	public boolean isWait() {
		return this.wait;
	}

	/**
	 * Return the C function that the step calls, or waits for.
	 * @return the function, or words where it may be one of many
	 */
	public String call() {
		return this.call;
	}

}
