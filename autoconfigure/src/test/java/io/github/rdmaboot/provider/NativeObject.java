package io.github.rdmaboot.provider;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Object of librdmacm or libibverbs as {@link CallOrder} knows it. Changed under the
 * monitor of the order, apart from what is volatile.
 */
@SuppressWarnings("checkstyle:VisibilityModifier")
final class NativeObject {

	final String kind;

	final long handle;

	/** What must not be freed before this object. */
	private final List<NativeObject> uses = new ArrayList<>();

	/** What must be freed before this object. */
	final Set<NativeObject> users = new HashSet<>();

	/** Device context that the object is on, 0 if that is not known. */
	long context;

	/** Queue pair of an id, or the id of a queue pair. */
	@Nullable NativeObject partner;

	/** Whether rdma_connect or rdma_accept of an id with a connection succeeded. */
	boolean connected;

	/** Whether an id had a queue pair. */
	boolean hadQueuePair;

	/** Whether an id listens for connections. */
	boolean listens;

	/** Whether nothing may be posted to a queue pair any more. */
	volatile boolean ended;

	/** Events of a completion queue that were fetched and not acknowledged. */
	int unacknowledged;

	/** Thread that fetched the last of these events. */
	@Nullable Thread fetcher;

	NativeObject(String kind, long handle) {
		this.kind = kind;
		this.handle = handle;
	}

	// Depend on another object, which must not be freed first.
	void use(NativeObject used) {
		this.uses.add(used);
		used.users.add(this);
	}

	// Depend on nothing any more.
	void letGo() {
		this.uses.forEach((used) -> used.users.remove(this));
		this.uses.clear();
	}

	// Whether it belongs to a device, whose context may end with the last id on it.
	boolean isOfDevice() {
		return switch (this.kind) {
			case "protection domain", "memory region", "address handle", "shared receive queue", "completion queue",
					"completion channel", "queue pair" ->
				true;
			default -> false;
		};
	}

	@Override
	public String toString() {
		return this.kind + " " + this.handle;
	}

}
