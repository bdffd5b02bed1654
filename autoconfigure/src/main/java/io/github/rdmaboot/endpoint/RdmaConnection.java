package io.github.rdmaboot.endpoint;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.rdmaboot.cm.Addresses;
import io.github.rdmaboot.cm.CmEvent;
import io.github.rdmaboot.cm.CmId;
import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Reliable connection over which messages are sent and received. All methods may be
 * called from any thread.
 */
public final class RdmaConnection {

	private final ConnectedEndpoint owner;

	private final long number;

	private final OwnedCmId id;

	private final EndpointRuntime runtime;

	private final ConnectionResources resources = new ConnectionResources();

	private final ConnectionMemory memory;

	private final SetupGate gate = new SetupGate(this::closedException);

	private final ConnectionEvents events;

	private final ConnectionEnding ending;

	RdmaConnection(ConnectedEndpoint owner, long number, OwnedCmId id, EndpointRuntime runtime,
			Consumer<CmEvent> connectEvents, Runnable closingHook) {
		this.owner = owner;
		this.number = number;
		this.id = id;
		this.runtime = runtime;
		this.ending = new ConnectionEnding(this, owner, runtime, this.resources, this.gate, closingHook);
		this.events = new ConnectionEvents(this, this.resources, owner, connectEvents);
		this.memory = new ConnectionMemory(this, this.resources, owner.statistics());
	}

	/**
	 * Return the number of the connection, unique within its endpoint.
	 * @return the number from 1
	 */
	public long number() {
		return this.number;
	}

	/**
	 * Return the configured name of the endpoint.
	 * @return the name
	 */
	public String endpoint() {
		return this.owner.name();
	}

	/**
	 * Return whether messages can be sent at present.
	 * @return whether the connection is established and not being closed
	 */
	public boolean isOpen() {
		return this.events.isEstablished() && !this.gate.isShut() && !end().isBegun();
	}

	/**
	 * Return the local address.
	 * @return the address or {@code null} before it is known
	 */
	public @Nullable InetSocketAddress localAddress() {
		return this.id.localAddress();
	}

	/**
	 * Return the peer's address.
	 * @return the address or {@code null} before it is known
	 */
	public @Nullable InetSocketAddress peerAddress() {
		return this.id.peerAddress();
	}

	/**
	 * Return the CM id.
	 * @return the CM id
	 */
	public CmId cmId() {
		return this.id;
	}

	OwnedCmId ownedCmId() {
		return this.id;
	}

	/**
	 * Return the size of the largest message that can be sent.
	 * @return the size in bytes
	 */
	public int maxMessageSize() {
		MemorySettings settings = this.owner.memorySettings();
		return settings.messages().isFragmenting() ? settings.messages().maxSize() : settings.bufferSize();
	}

	/**
	 * Send a message; stands for {@code ibv_post_send} with {@code IBV_WR_SEND}. The
	 * bytes from position to limit are copied before the method returns. While all
	 * buffers are in use it does what {@code queue-pair.when-full} says.
	 * @param message the message, not larger than {@link #maxMessageSize()}
	 * @return completes when the peer's device has acknowledged the message, and
	 * exceptionally when it never will
	 * @throws IllegalArgumentException if the message is too large
	 * @throws ConnectionClosedException if the connection is not open
	 * @throws SendQueueFullException if no buffer was free or became so in time
	 * @throws RdmaException on an errno of the call
	 */
	public CompletableFuture<Void> send(ByteBuffer message) {
		CompletableFuture<Void> future = new CompletableFuture<>();
		send(message, (error) -> {
			if (error == null) {
				future.complete(null);
			}
			else {
				future.completeExceptionally(error);
			}
		});
		return future;
	}

	/**
	 * Send a message like {@link #send(ByteBuffer)} and learn of the outcome by callback.
	 * @param message the message, not larger than {@link #maxMessageSize()}
	 * @param callback learns of the outcome, exactly once unless this method throws
	 * @throws IllegalArgumentException if the message is too large
	 * @throws ConnectionClosedException if the connection is not open
	 * @throws SendQueueFullException if no buffer was free or became so in time
	 * @throws RdmaException on an errno of the call
	 */
	public void send(ByteBuffer message, SendCallback callback) {
		MessageSender sender = this.resources.sender();
		if (sender == null || this.gate.isShut()) {
			throw closedException();
		}
		sender.send(message, callback);
	}

	/**
	 * Return the operations on registered memory: sends, reads and writes of the peer's
	 * memory, atomics, and batches of them.
	 * @return the operations
	 * @throws ConnectionClosedException if the connection is not open
	 */
	public RdmaOperations operations() {
		RdmaOperations operations = this.resources.operations();
		if (operations == null || this.gate.isShut()) {
			throw closedException();
		}
		return operations;
	}

	/**
	 * Return operations that wait until they are done, at most 10 s.
	 * @return the operations
	 * @throws ConnectionClosedException if the connection is not open
	 */
	public BlockingRdmaOperations blocking() {
		return blocking(BlockingRdmaOperations.DEFAULT_TIMEOUT);
	}

	/**
	 * Return operations that wait until they are done.
	 * @param timeout how long each waits at most
	 * @return the operations
	 * @throws ConnectionClosedException if the connection is not open
	 */
	public BlockingRdmaOperations blocking(Duration timeout) {
		return new BlockingRdmaOperations(operations(), timeout);
	}

	/**
	 * Receive the next message. Only of use while the endpoint has no message handler.
	 * @return completes with the message, and exceptionally with a
	 * {@link ConnectionClosedException} when none comes any more
	 */
	public CompletableFuture<byte[]> receive() {
		MessageReceiver receiver = this.resources.receiver();
		if (receiver == null) {
			return CompletableFuture.failedFuture(closedException());
		}
		return receiver.receive();
	}

	/**
	 * Receive the next message like {@link #receive()}, with its immediate data.
	 * @return completes with the message, and exceptionally with a
	 * {@link ConnectionClosedException} when none comes any more
	 */
	public CompletableFuture<RdmaMessage> receiveMessage() {
		MessageReceiver receiver = this.resources.receiver();
		if (receiver == null) {
			return CompletableFuture.failedFuture(closedException());
		}
		return receiver.receiveMessage();
	}

	/**
	 * Return the memory for operations on this connection.
	 * @return the memory
	 */
	public ConnectionMemory memory() {
		return this.memory;
	}

	/**
	 * Close the connection: disconnect and destroy everything native of it, in order and
	 * within the configured limits. Returns at once. A client does not connect again by
	 * itself after this, but by {@link RdmaClient#connect()}.
	 * @return completes with what was done
	 */
	public CompletableFuture<DestroyReport> close() {
		end(DestroyTrigger.MANUAL, null);
		return this.ending.end().report();
	}

	/**
	 * Make the native objects and post the receives. The id must be bound to a device.
	 */
	void setUp() {
		whileSettingUp(() -> this.resources.create(this.id, this.runtime.devices(), this.owner, this,
				this.owner.completionSettings().executor(this.runtime.handlerExecutor())));
	}

	// Tune the queue pair once it is ready to receive.
	void tune() {
		whileSettingUp(this.resources::tune);
	}

	// Run a call that makes or changes something native, unless the connection is being
	// destroyed.
	void whileSettingUp(Runnable call) {
		this.gate.pass(call);
	}

	// The same for a call that makes something and returns it.
	<T> T whileNotClosing(Supplier<T> call) {
		return this.gate.passing(call);
	}

	// Called before each native call of those that are made together.
	void requireNotClosing() {
		this.gate.requireOpen();
	}

	// What keeps native calls away from the destroy.
	SetupGate gate() {
		return this.gate;
	}

	void handlerFailed(Throwable error) {
		this.ending.handlerFailed(error);
	}

	void failed(RuntimeException error) {
		end(DestroyTrigger.DISCONNECT, error);
	}

	// Have the connection destroyed. Only the first call has an effect.
	void end(DestroyTrigger trigger, @Nullable RuntimeException cause) {
		this.ending.end(trigger, cause);
	}

	ConnectionTeardown teardown() {
		return new ConnectionTeardown(this, this.id, this.resources, this.events, this.owner.statistics());
	}

	// Keep new native calls away and wait for the one in progress.
	void beginClosing() {
		this.ending.beginClosing();
	}

	// The connection was destroyed.
	void destroyed(DestroyReport report) {
		this.ending.destroyed(report);
	}

	// How its end goes on, for those who destroy it.
	ConnectionEnd end() {
		return this.ending.end();
	}

	ConnectionClosedException closedException() {
		return this.ending.closedException();
	}

	Future<?> executeLater(Runnable task, long nanos) {
		return this.runtime.executeLater(task, nanos);
	}

	void executeHandler(Runnable task) {
		this.runtime.handlerExecutor().execute(task);
	}

	void onEvent(CmId id, CmEvent event) {
		this.events.onEvent(event);
	}

	void serveInbox() {
		MessageReceiver receiver = this.resources.receiver();
		if (receiver != null) {
			receiver.serve();
		}
	}

	boolean wasRequested() {
		return this.id.state() == CmIdState.REQUESTED;
	}

	@Override
	public String toString() {
		return "RDMA connection " + this.owner.name() + "#" + this.number + " to "
				+ Addresses.format(this.id.peerAddress());
	}

}
