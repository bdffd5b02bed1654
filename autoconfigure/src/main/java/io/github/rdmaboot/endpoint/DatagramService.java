package io.github.rdmaboot.endpoint;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

import io.github.rdmaboot.cm.Addresses;
import io.github.rdmaboot.cm.CmEvent;
import io.github.rdmaboot.cm.CmId;
import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.RdmaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listener of a datagram endpoint: tells peers that ask on its port the number of the
 * endpoint's queue pair. Each question brings a CM id, which is destroyed as soon as it
 * is answered.
 */
final class DatagramService {

	private static final Logger logger = LoggerFactory.getLogger(DatagramService.class);

	private final DatagramSettings settings;

	private final OwnedCmId id;

	private final EndpointRuntime runtime;

	private final SetupGate gate;

	private final EndpointStatistics statistics;

	private final Exchanges exchanges;

	private volatile int qpNum;

	DatagramService(DatagramSettings settings, OwnedCmId id, EndpointRuntime runtime, SetupGate gate,
			EndpointStatistics statistics, Exchanges exchanges) {
		this.settings = settings;
		this.id = id;
		this.runtime = runtime;
		this.gate = gate;
		this.statistics = statistics;
		this.exchanges = exchanges;
	}

	void open(InetSocketAddress address, int qpNum, CallWatch watch) {
		Duration limit = this.runtime.callTimeout();
		this.qpNum = qpNum;
		watch.during("rdma_create_id", limit,
				() -> this.gate.pass(() -> this.id.create(this.runtime.channel(), PortSpace.UDP, this::onEvent)));
		watch.during("rdma_bind_addr", limit, () -> this.gate.pass(() -> this.id.bind(address)));
		watch.during("rdma_listen", limit, () -> this.gate.pass(() -> this.id.listen(this.settings.backlog())));
	}

	int port() {
		InetSocketAddress address = this.id.localAddress();
		return (address != null && this.id.state() == CmIdState.LISTENING) ? address.getPort() : 0;
	}

	private void onEvent(CmId listener, CmEvent event) {
		this.statistics.event(event.type(), event.status());
		OwnedCmId child = event.child();
		if (child == null) {
			logger.debug("{}: {}", listener, event.describe());
			return;
		}
		if (this.runtime.isQuiesced() || !this.exchanges.begin()) {
			this.runtime.destroyOrphan(child);
			return;
		}
		long begin = System.nanoTime();
		try {
			this.runtime.acceptExecutor().execute(() -> answer(child, begin));
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			logger.debug("No thread to answer the question of a peer, which asks again", ex);
			this.exchanges.end();
			this.runtime.destroyOrphan(child);
		}
	}

	private void answer(OwnedCmId child, long begin) {
		this.exchanges.enter();
		CallWatch watch = new CallWatch(this.runtime, this.runtime.acceptExecutor(), this.settings.name(),
				Addresses.format(child.peerAddress()),
				(failure) -> logger.warn("The question of a peer is stuck: {}", failure.getMessage()));
		watch.watch("rdma_accept", "answering the question", this.runtime.callTimeout(), () -> tell(child, begin));
	}

	private void tell(OwnedCmId child, long begin) {
		try {
			child.accept(new ConnectionParameters(new byte[0], 0, 0, false, 0, 0, false, this.qpNum));
			this.runtime.connectEnded(this.settings.name(), since(begin), null);
		}
		catch (RdmaException ex) {
			failed(begin, new RdmaEndpointException(this.settings.name(), Addresses.format(child.peerAddress()), ex));
		}
		catch (RuntimeException | Error ex) {
			failed(begin, new RdmaEndpointException(this.settings.name(), Addresses.format(child.peerAddress()),
					"rdma_accept", Errno.EIO.value(), "answering failed: " + ex, ex));
		}
		finally {
			destroy(child);
			this.exchanges.end();
		}
	}

	// The peer asks again, and more than once.
	private void failed(long begin, RdmaEndpointException failure) {
		logger.warn("Could not tell a peer the queue pair: {}", failure.getMessage());
		this.runtime.connectEnded(this.settings.name(), since(begin), failure);
	}

	private static void destroy(OwnedCmId child) {
		try {
			child.destroy();
		}
		catch (RuntimeException | Error ex) {
			logger.warn("{} could not be destroyed", child, ex);
		}
	}

	private static Duration since(long begin) {
		return Duration.ofNanos(System.nanoTime() - begin);
	}

}
