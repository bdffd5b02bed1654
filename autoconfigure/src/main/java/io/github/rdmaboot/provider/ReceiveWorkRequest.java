package io.github.rdmaboot.provider;

import org.jspecify.annotations.Nullable;

/**
 * Receive request, reused so that posting allocates nothing; stands for
 * {@code struct ibv_recv_wr} and its {@code struct ibv_sge}. Belongs to the thread that
 * posts.
 */
@SuppressWarnings("checkstyle:VisibilityModifier")
public final class ReceiveWorkRequest {

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

	/** Next request of the list or {@code null}. */
	public @Nullable ReceiveWorkRequest next;

	/**
	 * Whether the last post took this request; written by the provider, before the
	 * request can complete if it did.
	 */
	public boolean posted;

	/**
	 * Create a request.
	 * @param maxSge how many buffers it has room for, from 1
	 */
	public ReceiveWorkRequest(int maxSge) {
		this.addresses = new long[maxSge];
		this.lengths = new int[maxSge];
		this.lkeys = new int[maxSge];
	}

}
