package io.github.rdmaboot.provider;

/**
 * The calls of libibverbs for queue pairs, shared receive queues and completion queues.
 * <p>
 * Posting to one queue pair and polling one completion queue from several threads is
 * allowed.
 */
public interface IbvQueueCalls {

	/**
	 * Create a non-blocking completion channel; stands for
	 * {@code ibv_create_comp_channel}.
	 * @param context the device context
	 * @return the completion channel
	 * @throws RdmaException on EMFILE, ENOMEM
	 */
	long ibvCreateCompChannel(long context);

	/**
	 * Destroy a completion channel that no thread waits on; stands for
	 * {@code ibv_destroy_comp_channel}.
	 * @param completionChannel the completion channel
	 * @throws RdmaException on EBUSY while a completion queue uses it
	 */
	void ibvDestroyCompChannel(long completionChannel);

	/**
	 * Close the file of a completion channel, which no thread and no queue uses, and free
	 * its memory without a look at the device context, as
	 * {@code ibv_destroy_comp_channel} takes one: the context may have gone with the last
	 * CM id of a device that was removed.
	 * @param completionChannel the completion channel
	 * @throws RdmaException if the file cannot be closed
	 */
	void closeCompletionChannel(long completionChannel);

	/**
	 * Create a completion queue; stands for {@code ibv_create_cq}.
	 * @param context the device context
	 * @param entries how many completions it holds at least
	 * @param completionChannel the completion channel or 0
	 * @param completionVector the completion vector from 0
	 * @return the completion queue
	 * @throws RdmaException on EINVAL, ENOMEM
	 */
	long ibvCreateCq(long context, int entries, long completionChannel, int completionVector);

	/**
	 * Destroy a completion queue; stands for {@code ibv_destroy_cq}. Blocks, without a
	 * limit, until exactly the events that were fetched have been acknowledged.
	 * @param cq the completion queue
	 * @throws RdmaException on EBUSY while a queue pair uses it
	 */
	void ibvDestroyCq(long cq);

	/**
	 * Fetch the next event of a completion channel without waiting; stands for
	 * {@code ibv_get_cq_event}.
	 * @param completionChannel the completion channel
	 * @return the completion queue that has completions, whose event must be
	 * acknowledged, or 0 when there is none (EAGAIN)
	 * @throws RdmaException on EIO when the device is gone
	 */
	long ibvGetCqEvent(long completionChannel);

	/**
	 * Acknowledge events; stands for {@code ibv_ack_cq_events}.
	 * @param cq the completion queue
	 * @param events how many; never more than were fetched
	 */
	void ibvAckCqEvents(long cq, int events);

	/**
	 * Ask for an event at the next completion; stands for {@code ibv_req_notify_cq}.
	 * @param cq the completion queue
	 * @param solicitedOnly whether only solicited completions count
	 * @throws RdmaException on EIO
	 */
	void ibvReqNotifyCq(long cq, boolean solicitedOnly);

	/**
	 * Take completions; stands for {@code ibv_poll_cq}.
	 * @param cq the completion queue
	 * @param completions the objects to fill, from the first
	 * @return how many were filled
	 * @throws RdmaException on EIO for a broken completion queue
	 */
	int ibvPollCq(long cq, WorkCompletion[] completions);

	/**
	 * Create a queue pair that the caller manages; stands for {@code ibv_create_qp}.
	 * @param pd the protection domain
	 * @param init how to create it
	 * @return the queue pair with the capabilities that it really got
	 * @throws RdmaException on EINVAL, ENOMEM
	 */
	CreatedQueuePair ibvCreateQp(long pd, QueuePairInit init);

	/**
	 * Change a queue pair; stands for {@code ibv_modify_qp}.
	 * @param qp the queue pair
	 * @param attributes the attributes with their mask
	 * @throws RdmaException on EINVAL for an illegal transition, EIO
	 */
	void ibvModifyQp(long qp, QueuePairAttributes attributes);

	/**
	 * Return the attributes of a queue pair; stands for {@code ibv_query_qp}.
	 * @param qp the queue pair
	 * @param mask which attributes, a union of the {@link QueuePairAttributes} masks
	 * @return the attributes
	 * @throws RdmaException on EINVAL, EIO
	 */
	QueuePairAttributes ibvQueryQp(long qp, int mask);

	/**
	 * Destroy a queue pair that the caller manages; stands for {@code ibv_destroy_qp}.
	 * May block until its asynchronous events have been acknowledged.
	 * @param qp the queue pair
	 * @throws RdmaException on EBUSY while attached to a multicast group, EIO
	 */
	void ibvDestroyQp(long qp);

	/**
	 * Post a list of sends; stands for {@code ibv_post_send}. Neither allocates nor
	 * locks.
	 * @param qp the queue pair
	 * @param first the first request; the others hang on {@link SendWorkRequest#next}
	 * @return 0 when all were posted, otherwise the errno: ENOMEM when the queue is full,
	 * EINVAL in a wrong state or for wrong buffers or flags;
	 * {@link SendWorkRequest#posted} tells which ones were posted
	 */
	int ibvPostSend(long qp, SendWorkRequest first);

	/**
	 * Post a list of receives; stands for {@code ibv_post_recv}. Neither allocates nor
	 * locks.
	 * @param qp the queue pair
	 * @param first the first request; the others hang on {@link ReceiveWorkRequest#next}
	 * @return 0 when all were posted, otherwise the errno: ENOMEM, EINVAL;
	 * {@link ReceiveWorkRequest#posted} tells which ones were posted
	 */
	int ibvPostRecv(long qp, ReceiveWorkRequest first);

	/**
	 * Post a list of receives to a shared receive queue; stands for
	 * {@code ibv_post_srq_recv}. Neither allocates nor locks.
	 * @param srq the shared receive queue
	 * @param first the first request
	 * @return 0 when all were posted, otherwise the errno: ENOMEM, EINVAL
	 */
	int ibvPostSrqRecv(long srq, ReceiveWorkRequest first);

	/**
	 * Create a shared receive queue that belongs to no id; stands for
	 * {@code ibv_create_srq}.
	 * @param pd the protection domain
	 * @param maxWr how many receives it holds at least
	 * @param maxSge how many buffers a receive has at most
	 * @return the shared receive queue
	 * @throws RdmaException on EINVAL, ENOMEM
	 */
	long ibvCreateSrq(long pd, int maxWr, int maxSge);

	/**
	 * Destroy a shared receive queue that belongs to no id; stands for
	 * {@code ibv_destroy_srq}.
	 * @param srq the shared receive queue
	 * @throws RdmaException on EBUSY while a queue pair uses it
	 */
	void ibvDestroySrq(long srq);

	/**
	 * Attach a datagram queue pair to a multicast group; stands for
	 * {@code ibv_attach_mcast}.
	 * @param qp the queue pair
	 * @param gid the 16 bytes of the group's GID
	 * @param lid the group's LID, 0 on Ethernet
	 * @throws RdmaException on EINVAL
	 */
	void ibvAttachMcast(long qp, byte[] gid, int lid);

	/**
	 * Detach a datagram queue pair from a multicast group; stands for
	 * {@code ibv_detach_mcast}.
	 * @param qp the queue pair
	 * @param gid the 16 bytes of the group's GID
	 * @param lid the group's LID, 0 on Ethernet
	 * @throws RdmaException on EINVAL
	 */
	void ibvDetachMcast(long qp, byte[] gid, int lid);

}
