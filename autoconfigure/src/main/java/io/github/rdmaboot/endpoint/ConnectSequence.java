package io.github.rdmaboot.endpoint;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.cm.Addresses;
import io.github.rdmaboot.cm.CmEvent;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * The steps by which a client connects, each with its own limit. Run by one thread;
 * events come in from the event channel's thread.
 */
final class ConnectSequence {

	/** Lets the kernel's own report of a failed resolution come first. */
	private static final Duration KERNEL_HEAD_START = Duration.ofMillis(500);

	private final ClientSettings settings;

	private final LinkedBlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

	ConnectSequence(ClientSettings settings) {
		this.settings = settings;
	}

	void onEvent(CmEvent event) {
		this.signals.add(new Signal(event));
	}

	/**
	 * End the wait for an event, because the connection is being destroyed.
	 */
	void cancel() {
		this.signals.add(new Signal(null));
	}

	void run(RdmaConnection connection, EndpointRuntime runtime) {
		OwnedCmId id = connection.ownedCmId();
		try {
			HostLookUp hosts = new HostLookUp(this.settings.name(), address(), this.settings.resolveTimeout());
			InetSocketAddress destination = hosts.lookUp(this.settings.address(), this.settings.port());
			String localAddress = this.settings.localAddress();
			InetSocketAddress source = (localAddress != null) ? hosts.lookUp(localAddress, 0) : null;
			int resolveMillis = (int) Math.max(1, this.settings.resolveTimeout().toMillis());
			connection.whileSettingUp(() -> {
				id.create(runtime.channel(), PortSpace.TCP, connection::onEvent);
				this.settings.connection().applyOptions(id);
				id.resolveAddr(source, destination, resolveMillis);
			});
			await(connection, "rdma_resolve_addr", CmEventType.ADDR_RESOLVED,
					this.settings.resolveTimeout().plus(KERNEL_HEAD_START));
			connection.whileSettingUp(() -> id.resolveRoute(resolveMillis));
			await(connection, "rdma_resolve_route", CmEventType.ROUTE_RESOLVED,
					this.settings.resolveTimeout().plus(KERNEL_HEAD_START));
			connection.setUp();
			ConnectionSettings parameters = this.settings.connection();
			connection.whileSettingUp(() -> id.connect(new ConnectionParameters(parameters.privateData(),
					parameters.responderResources(), parameters.initiatorDepth(), false, parameters.retryCount(),
					parameters.rnrRetryCount(), false, 0)));
			await(connection, "rdma_connect", CmEventType.ESTABLISHED, this.settings.connectTimeout());
			connection.tune();
		}
		catch (RdmaEndpointException ex) {
			throw ex;
		}
		catch (RdmaException ex) {
			throw new RdmaEndpointException(this.settings.name(), address(), ex);
		}
	}

	private void await(RdmaConnection connection, String call, CmEventType expected, Duration limit) {
		Deadline deadline = Deadline.after(limit);
		while (true) {
			Signal signal = next(call, deadline);
			if (signal == null) {
				throw failure(call, Errno.ETIMEDOUT,
						call + " got no answer within " + limit.toMillis() + " ms (ETIMEDOUT)", null);
			}
			CmEvent event = signal.event();
			if (event == null) {
				throw connection.closedException();
			}
			if (event.type() == expected && event.status() == 0) {
				return;
			}
			if (event.type() == CmEventType.REJECTED) {
				throw new ConnectionRejectedException(this.settings.name(), address(), event);
			}
			if (isFailure(event)) {
				throw failure(call, event.errno(),
						call + " failed with " + Errno.describe(event.errno()) + ": " + event.describe(), null);
			}
		}
	}

	private static boolean isFailure(CmEvent event) {
		return switch (event.type()) {
			case ADDR_ERROR, ROUTE_ERROR, CONNECT_ERROR, UNREACHABLE, DISCONNECTED, DEVICE_REMOVAL -> true;
			default -> event.status() != 0;
		};
	}

	private @Nullable Signal next(String call, Deadline deadline) {
		try {
			return this.signals.poll(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw failure(call, Errno.EINTR, call + " was interrupted (EINTR)", ex);
		}
	}

	private String address() {
		return Addresses.format(this.settings.address(), this.settings.port());
	}

	private RdmaEndpointException failure(String call, Errno errno, String detail, @Nullable Throwable cause) {
		return failure(call, errno.value(), detail, cause);
	}

	private RdmaEndpointException failure(String call, int errno, String detail, @Nullable Throwable cause) {
		return new RdmaEndpointException(this.settings.name(), address(), call, errno, detail, cause);
	}

	/**
	 * What wakes the sequence: an event, or none when it is cancelled.
	 */
	private record Signal(@Nullable CmEvent event) {

	}

}
