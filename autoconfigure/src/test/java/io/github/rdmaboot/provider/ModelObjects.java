package io.github.rdmaboot.provider;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * What the {@link CallModel} knows of the objects that its calls made.
 */
final class ModelObjects {

	private ModelObjects() {
	}

	static String stateText(String id, boolean device, boolean port, @Nullable QueuePairState qp) {
		return id + (port ? "#" : "") + (device ? "@" : "") + ((qp != null) ? ":" + qp : "");
	}

	enum State {

		IDLE, BOUND, LISTEN, ADDRESS_RESOLVED, ROUTE_RESOLVED, CONNECT

	}

	enum Exchange {

		NONE, REQUEST_SENT, REQUEST_RECEIVED, REPLY_SENT, REPLY_RECEIVED, ESTABLISHED, DISCONNECT_SENT,
		DISCONNECT_RECEIVED, OVER, FAILED

	}

	/** What a CM id is named and knows. */
	static final class Id extends Named {

		State state = State.IDLE;

		Exchange exchange = Exchange.NONE;

		/** Whose request made it, or {@code null}. */
		@Nullable Id listener;

		boolean device;

		boolean hasPort;

		/** Whether its port is taken on every address. */
		boolean wildcard;

		boolean gone;

		@Nullable Id destination;

		@Nullable Id peer;

		@Nullable QueuePair qp;

		Id(String name) {
			super(name);
		}

		@Override
		public String toString() {
			return stateText(this.name, this.device, this.hasPort, (this.qp != null) ? this.qp.state : null);
		}

	}

	static final class QueuePair {

		final Resource pd;

		final Resource cq;

		QueuePairState state = QueuePairState.INIT;

		final Deque<String> receives = new ArrayDeque<>();

		QueuePair(Resource pd, Resource cq) {
			this.pd = pd;
			this.cq = cq;
		}

	}

	static class Named {

		final String name;

		Named(String name) {
			this.name = name;
		}

	}

	static final class Resource extends Named {

		int users;

		Resource(String name) {
			super(name);
		}

	}

	static final class Region extends Named {

		final Resource pd;

		Region(String name, Resource pd) {
			super(name);
			this.pd = pd;
		}

	}

}
