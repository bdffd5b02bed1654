package io.github.rdmaboot.provider;

/**
 * Completion of a work request, filled anew by each poll so that polling allocates
 * nothing; stands for {@code struct ibv_wc}. Belongs to the thread that polls.
 */
@SuppressWarnings("checkstyle:VisibilityModifier")
public final class WorkCompletion {

	private static final int WITH_IMMEDIATE = 2;

	/** Number that the request carried. */
	public long wrId;

	/** Outcome, see {@link CompletionStatus#of}. */
	public int status;

	/** Operation, see {@link CompletionOpcode#of}; undefined unless the status is 0. */
	public int opcode;

	/** Error code of the vendor. */
	public int vendorError;

	/**
	 * Length of a received message in bytes; of a datagram with its 40 bytes of header.
	 */
	public int byteLength;

	/**
	 * Immediate data of a received message, in host order; defined only with its flag.
	 */
	public int immediateData;

	/** Number of the local queue pair. */
	public int qpNum;

	/** Number of a datagram peer's queue pair. */
	public int sourceQp;

	/** Flags of a received message: 1 with routing header, 2 with immediate data. */
	public int flags;

	/** Index of the partition key of a received datagram. */
	public int pkeyIndex;

	/** LID of a datagram peer. */
	public int sourceLid;

	/** Service level of a received datagram. */
	public int serviceLevel;

	/** Path bits of the destination LID of a received datagram. */
	public int destinationPathBits;

	/**
	 * Return whether a received message has immediate data.
	 * @return whether it has
	 */
	public boolean hasImmediate() {
		return (this.flags & WITH_IMMEDIATE) != 0;
	}

}
