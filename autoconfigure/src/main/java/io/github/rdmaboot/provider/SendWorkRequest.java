package io.github.rdmaboot.provider;

import org.jspecify.annotations.Nullable;

/**
 * Send request, reused so that posting allocates nothing; stands for
 * {@code struct ibv_send_wr} and its {@code struct ibv_sge}. Belongs to the thread that
 * posts.
 */
@SuppressWarnings("checkstyle:VisibilityModifier")
public final class SendWorkRequest {

	/** Addresses of the buffers. */
	public final long[] addresses;

	/** Lengths of the buffers in bytes. */
	public final int[] lengths;

	/** Keys of the memory regions that hold the buffers. */
	public final int[] lkeys;

	/** How many buffers count, from 0 to the number given at construction. */
	public int sgeCount;

	/** Number that the completion will carry. */
	public long wrId;

	/** Operation, the value of a {@link WorkRequestOpcode}. */
	public int opcode;

	/** Flags, a union of {@link SendFlag} values. */
	public int flags;

	/** Immediate data, in host order. */
	public int immediateData;

	/** Address of the peer's memory for reads, writes and atomics. */
	public long remoteAddress;

	/** Key of the peer's memory for reads, writes and atomics. */
	public int rkey;

	/** Value to compare with or to add. */
	public long compareAdd;

	/** Value to swap in. */
	public long swap;

	/** Address handle of a datagram. */
	public long ah;

	/** Queue pair number of a datagram's destination. */
	public int remoteQpNum;

	/** Queue key of a datagram's destination. */
	public int remoteQkey;

	/** Next request of the list or {@code null}. */
	public @Nullable SendWorkRequest next;

	/**
	 * Whether the last post took this request; written by the provider, before the
	 * request can complete if it did.
	 */
	public boolean posted;

	/**
	 * Create a request.
	 * @param maxSge how many buffers it has room for, from 1
	 */
	public SendWorkRequest(int maxSge) {
		this.addresses = new long[maxSge];
		this.lengths = new int[maxSge];
		this.lkeys = new int[maxSge];
	}

}
