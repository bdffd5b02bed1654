package io.github.rdmaboot.provider.loopback;

import java.util.Arrays;
import java.util.Iterator;

import io.github.rdmaboot.provider.CmEventData;
import io.github.rdmaboot.provider.CmEventType;
import org.jspecify.annotations.Nullable;

/**
 * Queues, fetches and acknowledges CM events. Its methods are called with the fabric's
 * lock held.
 */
final class CmEvents {

	private CmEvents() {
	}

	static QueuedEvent queue(LoopbackCmId id, CmEventType type, int status) {
		return queue(new QueuedEvent(id, type, status));
	}

	static QueuedEvent queue(LoopbackCmId id, CmEventType type, int status, byte[] privateData, int paddedLength) {
		QueuedEvent event = new QueuedEvent(id, type, status);
		event.privateData = Arrays.copyOf(privateData, paddedLength);
		return queue(event);
	}

	static QueuedEvent queue(QueuedEvent event) {
		LoopbackCmId owner = event.owner();
		if (owner.kernelPartGone) {
			return event;
		}
		EventChannel channel = owner.channel;
		channel.events.add(event);
		event.id.queued.add(event);
		channel.signal();
		return event;
	}

	/**
	 * Drop the events of an id that were not fetched.
	 * @param id the id
	 */
	static void drop(LoopbackCmId id) {
		for (QueuedEvent event : id.queued) {
			event.owner().channel.events.remove(event);
		}
		id.queued.clear();
	}

	/**
	 * Drop the events of a membership that were not fetched.
	 * @param id the id that is a member
	 * @param membership the membership, which ends
	 */
	static void drop(LoopbackCmId id, MulticastMembership membership) {
		id.queued.removeIf((event) -> {
			boolean ofMembership = event.membership == membership;
			if (ofMembership) {
				event.owner().channel.events.remove(event);
			}
			return ofMembership;
		});
	}

	/**
	 * Fetch the next event and do what the library does in {@code rdma_get_cm_event}.
	 * @param channel the channel
	 * @return the event or {@code null} when there is none
	 */
	static @Nullable CmEventData fetch(EventChannel channel) {
		Iterator<QueuedEvent> events = channel.events.iterator();
		while (events.hasNext()) {
			QueuedEvent event = events.next();
			events.remove();
			event.id.queued.remove(event);
			int type = inLibrary(event);
			if (type >= 0) {
				return deliver(channel, event, type);
			}
		}
		return null;
	}

	static void acknowledge(LoopbackProcess process, long handle) {
		QueuedEvent event = process.handles().get("rdma_ack_cm_event", handle, QueuedEvent.class);
		process.handles().remove(handle);
		if (event.membership != null) {
			event.membership.events().acknowledged(1);
		}
		event.owner().events.acknowledged(1);
	}

	private static CmEventData deliver(EventChannel channel, QueuedEvent event, int type) {
		long handle = channel.process().handles().add(event);
		event.owner().events.fetched();
		if (event.membership != null) {
			event.membership.events().fetched();
		}
		LoopbackCmId listener = event.listener;
		MulticastMembership membership = event.membership;
		boolean failedHere = type == CmEventType.CONNECT_ERROR.value() && event.type != CmEventType.CONNECT_ERROR;
		return new CmEventData(handle, type, failedHere ? -1 : event.status, event.id.handle,
				(listener != null) ? listener.handle : 0, event.privateData, event.responderResources,
				event.initiatorDepth, event.qpNum, event.qkey, event.address,
				(membership != null) ? membership.context() : 0);
	}

	private static int inLibrary(QueuedEvent event) {
		LoopbackCmId id = event.id;
		switch (event.type) {
			case CONNECT_REQUEST -> {
				LoopbackCmId listener = event.listener;
				if (listener != null) {
					listener.unfetched.remove(id);
				}
				LoopbackConnection connection = id.connection;
				id.remoteEce = (connection != null) ? connection.requestEce : null;
			}
			case CONNECT_RESPONSE -> {
				LoopbackConnection connection = id.connection;
				id.remoteEce = (connection != null) ? connection.replyEce : null;
				return CmHandshake.replyFetched(id);
			}
			case REJECTED -> {
				if (id.failedInLibrary) {
					return -1;
				}
				LoopbackQp qp = id.qp;
				if (qp != null) {
					qp.toError();
				}
			}
			case DISCONNECTED -> {
				if (id.failedInLibrary) {
					return -1;
				}
			}
			case MULTICAST_JOIN -> {
				MulticastMembership membership = event.membership;
				if (membership != null) {
					membership.attach();
				}
			}
			default -> {
			}
		}
		return event.type.value();
	}

}
