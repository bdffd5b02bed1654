package io.github.rdmaboot.provider;

import java.util.Map;

/**
 * Meaning of the status of a CM event: a negative errno, or a code of the transport,
 * which for {@code REJECTED} is the reason that the peer or its CM gave.
 */
public final class CmEventStatus {

	private static final Map<Integer, String> REJECT_REASONS = Map.ofEntries(Map.entry(1, "no queue pair"),
			Map.entry(2, "no end-to-end context"), Map.entry(3, "no resources"), Map.entry(4, "timed out"),
			Map.entry(5, "unsupported request"), Map.entry(6, "invalid communication id"),
			Map.entry(7, "invalid communication instance"), Map.entry(8, "nobody listens on this port"),
			Map.entry(9, "invalid transport type"), Map.entry(10, "stale connection"),
			Map.entry(11, "reliable datagram channel does not exist"), Map.entry(12, "invalid GID"),
			Map.entry(13, "invalid LID"), Map.entry(14, "invalid service level"),
			Map.entry(15, "invalid traffic class"), Map.entry(16, "invalid hop limit"),
			Map.entry(17, "invalid packet rate"), Map.entry(18, "invalid alternate GID"),
			Map.entry(19, "invalid alternate LID"), Map.entry(20, "invalid alternate service level"),
			Map.entry(21, "invalid alternate traffic class"), Map.entry(22, "invalid alternate hop limit"),
			Map.entry(23, "invalid alternate packet rate"), Map.entry(24, "redirected by the CM"),
			Map.entry(25, "redirected to another port"), Map.entry(26, "invalid MTU"),
			Map.entry(27, "insufficient responder resources"), Map.entry(28, "rejected by the application"),
			Map.entry(29, "invalid RNR retry count"), Map.entry(30, "duplicate communication id"),
			Map.entry(31, "invalid class version"), Map.entry(32, "invalid flow label"),
			Map.entry(33, "invalid alternate flow label"), Map.entry(35, "vendor option not supported"));

	/** Answers to who asks for a datagram service. */
	private static final Map<Integer, String> SERVICE_ANSWERS = Map.of(1, "no datagram service on this port", 2,
			"rejected by the service", 3, "no queue pair", 4, "redirected", 5, "version not supported");

	private CmEventStatus() {
	}

	/**
	 * Return the meaning of a status.
	 * @param eventType the number of the event's type
	 * @param status the status
	 * @return the meaning, naming the number
	 */
	public static String describe(int eventType, int status) {
		if (status == -1
				&& (eventType == CmEventType.ADDR_ERROR.value() || eventType == CmEventType.ROUTE_ERROR.value())) {
			return "status -1 (a step inside librdmacm failed, often because /dev/infiniband/uverbs* is not accessible)";
		}
		if (status < 0) {
			return Errno.describe(-status);
		}
		if (eventType == CmEventType.REJECTED.value()) {
			return "reason " + status + " (" + REJECT_REASONS.getOrDefault(status, "unknown reason") + ")";
		}
		if (eventType == CmEventType.UNREACHABLE.value() && status > 0) {
			return "status " + status + " (" + SERVICE_ANSWERS.getOrDefault(status, "unknown answer") + ")";
		}
		return "status " + status;
	}

	/**
	 * Return the errno that comes nearest to the meaning of a failed event.
	 * @param eventType the number of the event's type
	 * @param status the status
	 * @return a positive errno
	 */
	public static int errno(int eventType, int status) {
		if (status < 0) {
			return -status;
		}
		if (eventType == CmEventType.REJECTED.value()) {
			return Errno.ECONNREFUSED.value();
		}
		if (eventType == CmEventType.UNREACHABLE.value()) {
			return (status > 0) ? Errno.ECONNREFUSED.value() : Errno.ETIMEDOUT.value();
		}
		if (eventType == CmEventType.DEVICE_REMOVAL.value()) {
			return Errno.ENXIO.value();
		}
		return Errno.EPROTO.value();
	}

}
