package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.rdmaboot.provider.Errno;
import org.jspecify.annotations.Nullable;

/**
 * Looks host names up for an endpoint, within a limit.
 */
final class HostLookUp {

	private final String endpoint;

	private final String address;

	private final Duration limit;

	// The address is that of the endpoint, as its failures name it.
	HostLookUp(String endpoint, String address, Duration limit) {
		this.endpoint = endpoint;
		this.address = address;
		this.limit = limit;
	}

	// Look a host name up on a thread of its own, since the name service may take longer
	// than the limit and cannot be stopped.
	InetSocketAddress lookUp(String host, int port) {
		InetAddress literal = literal(host);
		if (literal != null) {
			return new InetSocketAddress(literal, port);
		}
		FutureTask<InetAddress> task = new FutureTask<>(() -> InetAddress.getByName(host));
		Thread thread = new Thread(task, "rdma-look-up-" + this.endpoint);
		thread.setDaemon(true);
		thread.start();
		try {
			InetAddress address = task.get(this.limit.toMillis(), TimeUnit.MILLISECONDS);
			return new InetSocketAddress(address, port);
		}
		catch (TimeoutException ex) {
			throw failure("getaddrinfo", Errno.ETIMEDOUT, "getaddrinfo found no address for host '" + host + "' within "
					+ this.limit.toMillis() + " ms (ETIMEDOUT)", ex);
		}
		catch (ExecutionException ex) {
			String reason = (ex.getCause() instanceof UnknownHostException) ? "" : ": " + ex.getCause();
			throw failure("getaddrinfo", Errno.ENOENT,
					"getaddrinfo found no address for host '" + host + "' (ENOENT)" + reason, ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw failure("getaddrinfo", Errno.EINTR, "getaddrinfo for host '" + host + "' was interrupted (EINTR)",
					ex);
		}
	}

	private @Nullable InetAddress literal(String host) {
		try {
			return AddressLiteral.read(host);
		}
		catch (UnknownHostException ex) {
			throw failure("getaddrinfo", Errno.ENOENT, "getaddrinfo takes '" + host + "' for no address (ENOENT)", ex);
		}
	}

	private RdmaEndpointException failure(String call, Errno errno, String detail, @Nullable Throwable cause) {
		return new RdmaEndpointException(this.endpoint, this.address, call, errno.value(), detail, cause);
	}

}
