package io.github.rdmaboot.provider;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What soft-iWARP does otherwise, measured with its driver of Linux 6.1 and rdma-core 44.
 * iWARP is RDMA over a TCP connection: there is no IB CM, and what was written to the
 * connection counts as sent.
 */
final class SoftIwarpRules implements TransportRules {

	/** The driver counts in one byte, and its own four of MPA version 2 in it. */
	private static final int PRIVATE_DATA_LIMIT = 251;

	/** The driver keeps inline data in the place of five buffers. */
	private static final int INLINE_LIMIT = 80;

	/** What the driver's library returns when the kernel refuses its doorbell. */
	private static final int DOORBELL_FAILED = 1;

	// The driver knows reliable connections only, the CM knows groups for IB only, and
	// the driver's library has no number for operations that iWARP lacks.
	@Override
	public Errno refusal(Capability capability) {
		return switch (capability) {
			case DATAGRAMS -> Errno.EOPNOTSUPP;
			case MULTICAST -> Errno.ENOSYS;
			case IMMEDIATE_DATA, ATOMICS -> Errno.EINVAL;
		};
	}

	@Override
	public int requestDataLimit() {
		return PRIVATE_DATA_LIMIT;
	}

	// The count wraps: such a request is lost.
	@Override
	public boolean refusesMorePrivateData() {
		return false;
	}

	// MPA frames carry a length, so nothing is padded.
	@Override
	public int requestDataLength(int given) {
		return given;
	}

	@Override
	public int replyDataLength(int given) {
		return given;
	}

	@Override
	public int rejectDataLimit() {
		return PRIVATE_DATA_LIMIT;
	}

	@Override
	public int rejectDataLength(int given) {
		return given;
	}

	// An MPA reject has no reason.
	@Override
	public int rejectedByApplication() {
		return -Errno.ECONNRESET.value();
	}

	// The call connects the TCP connection and waits for it.
	@Override
	public Errno connectingToNobody() {
		return Errno.ECONNREFUSED;
	}

	// With a connect of the socket that blocks: TCP tries for two minutes.
	@Override
	public boolean connectWaitsForThePeersMachine() {
		return true;
	}

	// iWARP has no RNR: the peer terminates the connection.
	@Override
	public boolean messagesWaitForReceives() {
		return false;
	}

	// The TCP connection is gone by then.
	@Override
	public Errno answerAfterThePeerGaveUp() {
		return Errno.ECONNRESET;
	}

	// Only a request that was received can be rejected.
	@Override
	public Errno rejectionByTheConnectingSide() {
		return Errno.EINVAL;
	}

	// There is no third message: who accepts is established.
	@Override
	public boolean acceptanceNeedsThePeer() {
		return false;
	}

	// The driver moves the queue pair when the reply arrives.
	@Override
	public boolean ownQueuePairsAreMovedByTheApplication() {
		return false;
	}

	// Requests beyond the backlog are rejected, not dropped.
	@Override
	public boolean backlogOverflowIsSilent() {
		return false;
	}

	// Closing the TCP connection ends both sides at once.
	@Override
	public boolean disconnectNeedsBothSides() {
		return false;
	}

	// The library moves an iWARP queue pair to SQD, which one without a connection
	// ignores.
	@Override
	public boolean failedDisconnectFlushes() {
		return false;
	}

	// TCP's own time-wait is not reported.
	@Override
	public boolean hasTimeWait() {
		return false;
	}

	// The driver leaves these fields of the answer as they are.
	@Override
	public QueuePairState reported(QueuePairState state) {
		return QueuePairState.RESET;
	}

	// The driver reports what it can do: local and remote writes, and remote reads.
	@Override
	public int reportedAccess(int accessFlags) {
		return AccessFlag.LOCAL_WRITE.value() | AccessFlag.REMOTE_WRITE.value() | AccessFlag.REMOTE_READ.value();
	}

	// iWARP addresses connections, not queue pairs.
	@Override
	public int reportedPeer(int number) {
		return 0;
	}

	// Only RTS needs something, a connection; other states are taken for what an idle
	// queue pair has.
	@Override
	public boolean refusesFromReset(QueuePairState state) {
		return state == QueuePairState.RTS;
	}

	@Override
	public boolean checksTransitions() {
		return false;
	}

	// What was asked for is not kept.
	@Override
	public int inlineLimit(int capability) {
		return INLINE_LIMIT;
	}

	@Override
	public int sendBeforeTheConnection() {
		return DOORBELL_FAILED;
	}

	@Override
	public int sendAfterTheDisconnect() {
		return DOORBELL_FAILED;
	}

	// The driver's library refuses an empty list of buffers.
	@Override
	public boolean receivesNeedABuffer() {
		return true;
	}

	// The driver marks sends as solicited, but not the receives that they take.
	@Override
	public boolean solicitedReceivesNotify() {
		return false;
	}

	// A send is complete when TCP has it; the peer answers a wrong one by closing.
	@Override
	public boolean senderHearsOfFailures() {
		return false;
	}

	// The driver looks for the region, not for what it permits.
	@Override
	public boolean regionsRestrictReads() {
		return false;
	}

	// Its socket takes the connection, but the CM finds no device for the mapped address.
	@Override
	public boolean ipv6WildcardTakesIpv4() {
		return false;
	}

	@Override
	public CompletionStatus receiveTooShort() {
		return CompletionStatus.LOC_LEN_ERR;
	}

	@Override
	public CompletionStatus receiveWithoutMemory() {
		return CompletionStatus.GENERAL_ERR;
	}

	@Override
	public CompletionStatus sendBeyondItsRegion() {
		return CompletionStatus.LOC_QP_OP_ERR;
	}

	// The library takes it for one that the kernel works on, and wakes nobody any more.
	@Override
	public RefusedSend refusedSend() {
		return RefusedSend.BLOCKS_THE_QUEUE;
	}

	// The driver rounds up to a power of two.
	@Override
	public int roomForReceives(int asked) {
		return TransportRules.powerOfTwo(asked);
	}

	@Override
	public int roomForCompletions(int asked) {
		return TransportRules.powerOfTwo(asked);
	}

	// SQD is iWARP's closing state: the connection ends.
	@Override
	public List<Integer> eventsOfDraining() {
		return List.of();
	}

	// The kernel hands notifications to the IB CM only.
	@Override
	public @Nullable Errno notifyingWhenEstablished() {
		return null;
	}

	@Override
	public @Nullable Errno notifyingOfOtherEvents() {
		return null;
	}

	// MPA has no place for them.
	@Override
	public ConnectionEce received(ConnectionEce sent) {
		return new ConnectionEce(0, 0);
	}

	@Override
	public ConnectionEce receivedInTheReply(ConnectionEce sent) {
		return new ConnectionEce(0, 0);
	}

	@Override
	public int rejectedFor(int reason) {
		return rejectedByApplication();
	}

	// The driver serves one network device, and that of 127.0.0.1 is another.
	@Override
	public @Nullable Errno resolvingTheLoopbackAddress() {
		return Errno.EINVAL;
	}

	// iWARP has no partitions.
	@Override
	public @Nullable Errno partitionKey() {
		return Errno.ENOENT;
	}

	// The one GID is the hardware address of the network device.
	@Override
	public boolean gidsAreAddresses() {
		return false;
	}

}
