package io.github.rdmaboot.endpoint;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.CompletionStatus;

/**
 * Counters of an endpoint, over all its connections and generations. Written by the
 * threads that do the work, read by any thread.
 */
public final class EndpointStatistics {

	private final LongAdder messagesSent = new LongAdder();

	private final LongAdder messagesReceived = new LongAdder();

	private final LongAdder bytesSent = new LongAdder();

	private final LongAdder bytesReceived = new LongAdder();

	private final LongAdder receivesReturned = new LongAdder();

	private final LongAdder[] operations = adders();

	private final LongAdder[] operationBytes = adders();

	private final LongAdder reconnects = new LongAdder();

	private final LongAdder registeredBytes = new LongAdder();

	private final AtomicLongArray completionErrors = new AtomicLongArray(CompletionStatus.values().length);

	private final AtomicLongArray events = new AtomicLongArray(CmEventType.values().length);

	private final AtomicLongArray failedEvents = new AtomicLongArray(CmEventType.values().length);

	private static LongAdder[] adders() {
		LongAdder[] adders = new LongAdder[OperationKind.values().length];
		Arrays.setAll(adders, (index) -> new LongAdder());
		return adders;
	}

	void sent(int bytes) {
		this.messagesSent.increment();
		this.bytesSent.add(bytes);
	}

	void received(int bytes) {
		this.messagesReceived.increment();
		this.bytesReceived.add(bytes);
	}

	void receiveReturned() {
		this.receivesReturned.increment();
	}

	void operated(OperationKind kind, long bytes) {
		this.operations[kind.ordinal()].increment();
		this.operationBytes[kind.ordinal()].add(bytes);
	}

	void reconnected() {
		this.reconnects.increment();
	}

	void registered(long bytes) {
		this.registeredBytes.add(bytes);
	}

	void deregistered(long bytes) {
		this.registeredBytes.add(-bytes);
	}

	void completionError(int status) {
		if (status >= 0 && status < this.completionErrors.length()) {
			this.completionErrors.incrementAndGet(status);
		}
	}

	void event(CmEventType type, int status) {
		((status == 0) ? this.events : this.failedEvents).incrementAndGet(type.ordinal());
	}

	/**
	 * Return how many messages were sent and acknowledged by the peer's device.
	 * @return the count
	 */
	public long messagesSent() {
		return this.messagesSent.sum();
	}

	/**
	 * Return how many messages were received.
	 * @return the count
	 */
	public long messagesReceived() {
		return this.messagesReceived.sum();
	}

	/**
	 * Return how many bytes were sent and acknowledged by the peer's device.
	 * @return the count
	 */
	public long bytesSent() {
		return this.bytesSent.sum();
	}

	/**
	 * Return how many bytes were received.
	 * @return the count
	 */
	public long bytesReceived() {
		return this.bytesReceived.sum();
	}

	/**
	 * Return how many buffers of a shared receive queue came back only when their
	 * connection was gone.
	 * @return the count
	 */
	public long receivesReturned() {
		return this.receivesReturned.sum();
	}

	/**
	 * Return how many operations on memory of peers were done.
	 * @param kind their kind
	 * @return the count
	 */
	public long operations(OperationKind kind) {
		return this.operations[kind.ordinal()].sum();
	}

	/**
	 * Return how many bytes operations on memory of peers transferred.
	 * @param kind their kind
	 * @return the count
	 */
	public long operationBytes(OperationKind kind) {
		return this.operationBytes[kind.ordinal()].sum();
	}

	/**
	 * Return how often a lost connection was made anew.
	 * @return the count
	 */
	public long reconnects() {
		return this.reconnects.sum();
	}

	/**
	 * Return how much memory is registered at present.
	 * @return the size in bytes
	 */
	public long registeredBytes() {
		return this.registeredBytes.sum();
	}

	/**
	 * Return how many work requests ended with a status. Flushed ones count too: they are
	 * no errors while a connection is closing.
	 * @param status the status
	 * @return the count
	 */
	public long completionErrors(CompletionStatus status) {
		return this.completionErrors.get(status.value());
	}

	/**
	 * Return how many events of a type arrived.
	 * @param type the type
	 * @param failed whether to count those with a status other than 0 or the others
	 * @return the count
	 */
	public long events(CmEventType type, boolean failed) {
		return (failed ? this.failedEvents : this.events).get(type.ordinal());
	}

}
