package io.github.rdmaboot.provider;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Where transports differ, with what soft-RoCE and so the loopback do. A transport that
 * does something else declares it by overriding, and the contract suite asserts what was
 * declared. What is not here is the same on every transport.
 */
public interface TransportRules {

	/** Asynchronous event of a queue pair that has no send under way any more. */
	int SQ_DRAINED = 5;

	/**
	 * Return the error that asking for a capability gives.
	 * @param capability the capability
	 * @return the error, or {@code null} when the transport has it
	 */
	default @Nullable Errno refusal(Capability capability) {
		return null;
	}

	/**
	 * Return how many bytes of private data a connection request may carry.
	 * @return the limit
	 */
	default int requestDataLimit() {
		return 56;
	}

	/**
	 * Return whether more private data than fits is an error.
	 * @return whether it is
	 */
	default boolean refusesMorePrivateData() {
		return true;
	}

	/**
	 * Return how many bytes of private data a request arrives with.
	 * @param given how many were given
	 * @return the length, padding included
	 */
	default int requestDataLength(int given) {
		return 56;
	}

	/**
	 * Return how many bytes of private data an acceptance arrives with.
	 * @param given how many were given
	 * @return the length, padding included
	 */
	default int replyDataLength(int given) {
		return 196;
	}

	/**
	 * Return how many bytes of private data a rejection may carry.
	 * @return the limit
	 */
	default int rejectDataLimit() {
		return 148;
	}

	/**
	 * Return how many bytes of private data a rejection arrives with.
	 * @param given how many were given
	 * @return the length, padding included
	 */
	default int rejectDataLength(int given) {
		return 148;
	}

	/**
	 * Return the status of REJECTED when the peer's application rejects.
	 * @return the status
	 */
	default int rejectedByApplication() {
		return 28;
	}

	/**
	 * Return the error of connecting where nobody listens.
	 * @return the error of the call, or {@code null} when an event reports it
	 */
	default @Nullable Errno connectingToNobody() {
		return null;
	}

	/**
	 * Return whether {@code rdma_connect} itself waits until the peer's machine has
	 * answered, as long as that takes.
	 * @return whether it does
	 */
	default boolean connectWaitsForThePeersMachine() {
		return false;
	}

	/**
	 * Return whether a message that finds no receive waits for one. Otherwise it ends the
	 * connection.
	 * @return whether it does
	 */
	default boolean messagesWaitForReceives() {
		return true;
	}

	/**
	 * Return what the passive side's calls fail with after the peer gave up.
	 * @return the error
	 */
	default Errno answerAfterThePeerGaveUp() {
		return Errno.EINVAL;
	}

	/**
	 * Return the error of a rejection by the side that connects.
	 * @return the error, or {@code null} when it is taken
	 */
	default @Nullable Errno rejectionByTheConnectingSide() {
		return null;
	}

	/**
	 * Return whether the passive side is established only when the peer has seen the
	 * acceptance.
	 * @return whether it is
	 */
	default boolean acceptanceNeedsThePeer() {
		return true;
	}

	/**
	 * Return whether an application that manages its queue pair moves it through its
	 * states itself and reports the connection established.
	 * @return whether it does
	 */
	default boolean ownQueuePairsAreMovedByTheApplication() {
		return true;
	}

	/**
	 * Return whether a request that finds the backlog full is lost without a word.
	 * @return whether it is
	 */
	default boolean backlogOverflowIsSilent() {
		return true;
	}

	/**
	 * Return whether a disconnect ends each side only when that side disconnects, too.
	 * @return whether it does
	 */
	default boolean disconnectNeedsBothSides() {
		return true;
	}

	/**
	 * Return whether a disconnect that fails has moved the queue pair to the error state.
	 * @return whether it has
	 */
	default boolean failedDisconnectFlushes() {
		return true;
	}

	/**
	 * Return whether connections end with TIMEWAIT_EXIT.
	 * @return whether they do
	 */
	default boolean hasTimeWait() {
		return true;
	}

	/**
	 * Return what a queue pair reports as its state.
	 * @param state its state
	 * @return what it reports
	 */
	default QueuePairState reported(QueuePairState state) {
		return state;
	}

	/**
	 * Return what a queue pair reports as the access of its peer.
	 * @param accessFlags the access that was negotiated
	 * @return what it reports
	 */
	default int reportedAccess(int accessFlags) {
		return accessFlags;
	}

	/**
	 * Return what is reported as the number of the peer's queue pair.
	 * @param number its number
	 * @return what is reported
	 */
	default int reportedPeer(int number) {
		return number;
	}

	/**
	 * Return whether a queue pair in RESET may not go to a state.
	 * @param state the state
	 * @return whether this is an error
	 */
	default boolean refusesFromReset(QueuePairState state) {
		return true;
	}

	/**
	 * Return whether moving a queue pair without the attributes that the state needs, or
	 * out of the error state, is an error.
	 * @return whether it is
	 */
	default boolean checksTransitions() {
		return true;
	}

	/**
	 * Return how many bytes a queue pair takes inline.
	 * @param capability what it reports
	 * @return the limit
	 */
	default int inlineLimit(int capability) {
		return capability;
	}

	/**
	 * Return what posting a send before the connection gives.
	 * @return the result
	 */
	default int sendBeforeTheConnection() {
		return Errno.EINVAL.value();
	}

	/**
	 * Return what posting a send after the own disconnect gives; with 0 it is flushed.
	 * @return the result
	 */
	default int sendAfterTheDisconnect() {
		return 0;
	}

	/**
	 * Return whether a receive needs at least one buffer.
	 * @return whether it does
	 */
	default boolean receivesNeedABuffer() {
		return false;
	}

	/**
	 * Return whether the receive of a solicited message wakes a queue that was armed for
	 * those.
	 * @return whether it does
	 */
	default boolean solicitedReceivesNotify() {
		return true;
	}

	/**
	 * Return whether a sender is told of what fails at the peer, by waiting for a receive
	 * or by the status of its completion.
	 * @return whether it is
	 */
	default boolean senderHearsOfFailures() {
		return true;
	}

	/**
	 * Return whether a memory region has to permit what the peer reads.
	 * @return whether it has to
	 */
	default boolean regionsRestrictReads() {
		return true;
	}

	/**
	 * Return whether a wildcard listener of IPv6 takes requests over IPv4, too.
	 * @return whether it does
	 */
	default boolean ipv6WildcardTakesIpv4() {
		return true;
	}

	/**
	 * Return the status of a receive that was too short.
	 * @return the status
	 */
	default CompletionStatus receiveTooShort() {
		return CompletionStatus.LOC_QP_OP_ERR;
	}

	/**
	 * Return the status of a receive into memory that is not registered.
	 * @return the status
	 */
	default CompletionStatus receiveWithoutMemory() {
		return CompletionStatus.LOC_QP_OP_ERR;
	}

	/**
	 * Return the status of a send beyond its memory region.
	 * @return the status
	 */
	default CompletionStatus sendBeyondItsRegion() {
		return CompletionStatus.LOC_PROT_ERR;
	}

	/**
	 * Return what becomes of a send that was refused before the connection.
	 * @return what becomes of it
	 */
	default RefusedSend refusedSend() {
		return RefusedSend.SENT_LATER;
	}

	/**
	 * Return how many receives a queue pair takes.
	 * @param asked how many it was asked for
	 * @return how many it takes
	 */
	default int roomForReceives(int asked) {
		return powerOfTwo(asked + 1) - 1;
	}

	/**
	 * Return how many completions a queue takes.
	 * @param asked how many it was asked for
	 * @return how many it takes
	 */
	default int roomForCompletions(int asked) {
		return powerOfTwo(asked + 1) - 1;
	}

	static int powerOfTwo(int atLeast) {
		return Integer.highestOneBit(2 * atLeast - 1);
	}

	/**
	 * Return the asynchronous events of a queue pair that is drained.
	 * @return the numbers of their types
	 */
	default List<Integer> eventsOfDraining() {
		return List.of(SQ_DRAINED);
	}

	/**
	 * Return the error of telling an established id that communication is established.
	 * @return the error, or {@code null} when nothing happens
	 */
	default @Nullable Errno notifyingWhenEstablished() {
		return Errno.EISCONN;
	}

	/**
	 * Return the error of telling a connected id of another event.
	 * @return the error, or {@code null} when nothing happens
	 */
	default @Nullable Errno notifyingOfOtherEvents() {
		return Errno.EINVAL;
	}

	/**
	 * Return what arrives of the options of enhanced connection establishment.
	 * @param sent the options
	 * @return what arrives
	 */
	default ConnectionEce received(ConnectionEce sent) {
		return sent;
	}

	/**
	 * Return what arrives of those options in a reply.
	 * @param sent the options
	 * @return what arrives
	 */
	default ConnectionEce receivedInTheReply(ConnectionEce sent) {
		return new ConnectionEce(0, sent.options());
	}

	/**
	 * Return the status of REJECTED where others listen on the port, but not on the
	 * address.
	 * @return the status
	 */
	default int rejectedByOtherListeners() {
		return rejectedByApplication();
	}

	/**
	 * Return the status of REJECTED for a reason.
	 * @param reason the reason
	 * @return the status
	 */
	default int rejectedFor(int reason) {
		return reason;
	}

	/**
	 * Return the error of resolving the loopback address.
	 * @return the error, or {@code null} when it leads to a device
	 */
	default @Nullable Errno resolvingTheLoopbackAddress() {
		return null;
	}

	/**
	 * Return the error of asking for a partition key.
	 * @return the error, or {@code null} when there is one
	 */
	default @Nullable Errno partitionKey() {
		return null;
	}

	/**
	 * Return whether the addresses of the device are among its GIDs.
	 * @return whether they are
	 */
	default boolean gidsAreAddresses() {
		return true;
	}

	/**
	 * What becomes of a send that was refused.
	 */
	enum RefusedSend {

		FORGOTTEN, SENT_LATER, BLOCKS_THE_QUEUE

	}

	/**
	 * Capability that a transport may not have.
	 */
	enum Capability {

		DATAGRAMS, MULTICAST, IMMEDIATE_DATA, ATOMICS

	}

}
