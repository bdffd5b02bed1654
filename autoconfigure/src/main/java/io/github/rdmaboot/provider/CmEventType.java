package io.github.rdmaboot.provider;

import org.jspecify.annotations.Nullable;

/**
 * Kind of a CM event; stands for {@code enum rdma_cm_event_type}.
 */
public enum CmEventType {

	/** The destination address was resolved and the id is bound to a device. */
	ADDR_RESOLVED(0),

	/** The destination address could not be resolved. */
	ADDR_ERROR(1),

	/** The route was resolved. */
	ROUTE_RESOLVED(2),

	/** The route could not be resolved. */
	ROUTE_ERROR(3),

	/** A peer asks a listener for a connection; the event brings a new id. */
	CONNECT_REQUEST(4),

	/** The peer answered; only for ids without a queue pair. */
	CONNECT_RESPONSE(5),

	/** Connecting failed for another reason than the ones below. */
	CONNECT_ERROR(6),

	/** The peer did not answer, or is no longer reachable. */
	UNREACHABLE(7),

	/** The peer rejected the connection. */
	REJECTED(8),

	/** The connection is established. */
	ESTABLISHED(9),

	/** The connection has ended. */
	DISCONNECTED(10),

	/** The device of the id is going away. */
	DEVICE_REMOVAL(11),

	/** The multicast group was joined. */
	MULTICAST_JOIN(12),

	/** The multicast group could not be joined, or was lost. */
	MULTICAST_ERROR(13),

	/** The network device behind the id failed over. */
	ADDR_CHANGE(14),

	/** The time in which late packets may arrive is over; may never come. */
	TIMEWAIT_EXIT(15),

	/** Names were resolved; newer kernels only. */
	ADDRINFO_RESOLVED(16),

	/** Names could not be resolved; newer kernels only. */
	ADDRINFO_ERROR(17),

	/** An event that the application itself wrote; newer kernels only. */
	USER(18),

	/** For the use of the library alone; newer kernels only. */
	INTERNAL(19);

	private final int value;

	CmEventType(int value) {
		this.value = value;
	}

	/**
	 * Return the number that stands for it in C.
	 * @return the number
	 */
	public int value() {
		return this.value;
	}

	/**
	 * Return the event type with a number.
	 * @param value the number in C
	 * @return the event type, or {@code null} for a number that is not known
	 */
	public static @Nullable CmEventType of(int value) {
		for (CmEventType candidate : values()) {
			if (candidate.value == value) {
				return candidate;
			}
		}
		return null;
	}

}
