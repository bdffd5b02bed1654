package io.github.rdmaboot.provider;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the parts of the contract suite share: a provider, a channel for each side and the
 * steps to a connection.
 */
@ExtendWith(DeclaredRefusals.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class RdmaProviderContract {

	/** Reason of a rejection where nobody listens. */
	static final int NO_LISTENER = 8;

	static final byte[] NO_DATA = {};

	private static final QueuePairCapabilities SMALL = new QueuePairCapabilities(2, 2, 1, 1, 32);

	static final ConnectionParameters PARAMETERS = parameters(NO_DATA);

	private final ContractTransport transport;

	private final Deque<AutoCloseable> toClose = new ArrayDeque<>();

	private final Set<Long> idsOfEndpoints = new HashSet<>();

	RdmaProvider provider;

	/** The channel of connecting ids. */
	CmFixture client;

	/** The channel of listening ids. */
	CmFixture server;

	RdmaProviderContract(ContractTransport transport) {
		this.transport = transport;
	}

	@BeforeEach
	void open() {
		this.provider = closeLater(this.transport.open());
		this.client = closeLater(new CmFixture(this.provider, transport().silenceMillis()));
		this.server = closeLater(new CmFixture(this.provider, transport().silenceMillis()));
	}

	@AfterEach
	void close() throws Exception {
		// On soft-iWARP a queue pair is not destroyed before its request was answered.
		this.server.destroyAllBut(this.idsOfEndpoints);
		while (!this.toClose.isEmpty()) {
			this.toClose.pop().close();
		}
	}

	<T extends AutoCloseable> T closeLater(T resource) {
		this.toClose.push(resource);
		return resource;
	}

	ContractTransport transport() {
		return this.transport;
	}

	TransportRules rules() {
		return this.transport.rules();
	}

	InetSocketAddress address(int port) {
		return new InetSocketAddress(this.transport.address(), port);
	}

	long listener(int backlog) {
		long id = this.server.newId(PortSpace.TCP);
		this.provider.rdmaBindAddr(id, address(0));
		this.provider.rdmaListen(id, backlog);
		return id;
	}

	InetSocketAddress addressOf(long listener) {
		return address(this.provider.rdmaGetSrcPort(listener));
	}

	/**
	 * Take a new id to where it may connect.
	 * @param destination where to
	 * @return the id
	 */
	long resolved(InetSocketAddress destination) {
		long id = this.client.newId(PortSpace.TCP);
		resolve(id, destination);
		return id;
	}

	void resolve(long id, InetSocketAddress destination) {
		this.provider.rdmaResolveAddr(id, null, destination, 2000);
		this.client.expect(CmEventType.ADDR_RESOLVED);
		this.provider.rdmaResolveRoute(id, 2000);
		this.client.expect(CmEventType.ROUTE_RESOLVED);
	}

	Endpoint endpoint(long id) {
		return endpoint(new Endpoint(this.provider, id));
	}

	Endpoint endpoint(Endpoint made) {
		this.idsOfEndpoints.add(made.id);
		return closeLater(made);
	}

	/**
	 * Create a queue pair that belongs to no id.
	 * @param endpoint whose protection domain and completion queue it has
	 * @return the queue pair
	 */
	CreatedQueuePair ownQueuePair(Endpoint endpoint) {
		CreatedQueuePair created = this.provider.ibvCreateQp(endpoint.pd,
				new QueuePairInit(endpoint.cq, endpoint.cq, 0, SMALL, QueuePairType.RC, false));
		closeLater(() -> this.provider.ibvDestroyQp(created.qp()));
		return created;
	}

	Connected connect() {
		return connect(PARAMETERS, PARAMETERS);
	}

	Connected connect(ConnectionParameters request, ConnectionParameters reply) {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, request);
		Endpoint passive = endpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		this.provider.rdmaAccept(passive.id, reply);
		this.client.expect(CmEventType.ESTABLISHED);
		this.server.expect(CmEventType.ESTABLISHED);
		return new Connected(listener, active, passive);
	}

	/**
	 * Assert the state of a queue pair, as far as the transport reports it.
	 * @param endpoint whose queue pair
	 * @param state the state that it must have
	 */
	void assertState(Endpoint endpoint, QueuePairState state) {
		assertThat(endpoint.state()).isEqualTo(rules().reported(state));
	}

	/**
	 * Expect that the sender is told of a failure at the peer, or that it only ends the
	 * connection.
	 * @param connected the sender and the peer
	 * @param status the status of its completion
	 * @param wrId the number of its completion
	 */
	void expectFailure(Connected connected, CompletionStatus status, long wrId) {
		if (rules().senderHearsOfFailures()) {
			connected.active().expect(status, wrId);
		}
		else {
			connected.active().expect(CompletionStatus.SUCCESS, wrId);
			assertEnded();
		}
	}

	void assertEnded() {
		assertThat(this.client.expect(CmEventType.DISCONNECTED).status()).isZero();
		assertThat(this.server.expect(CmEventType.DISCONNECTED).status()).isZero();
	}

	/**
	 * Assert that a call fails, or that it does not.
	 * @param errno the error or {@code null}
	 * @param call the call
	 */
	static void assertOutcome(@Nullable Errno errno, ThrowingCallable call) {
		if (errno != null) {
			assertErrno(errno, call);
		}
		else {
			assertThatCode(call).doesNotThrowAnyException();
		}
	}

	static ConnectionParameters parameters(byte[] privateData) {
		return new ConnectionParameters(privateData, 1, 1, true, 7, 7, false, 0);
	}

	/**
	 * Return the parameters of a connection whose queue pair the application manages.
	 * @param qpNum the number of the queue pair
	 * @return the parameters
	 */
	static ConnectionParameters parametersOf(int qpNum) {
		return new ConnectionParameters(NO_DATA, 1, 1, true, 7, 7, false, qpNum);
	}

	static void assertErrno(Errno errno, ThrowingCallable call) {
		assertThatExceptionOfType(RdmaException.class).isThrownBy(call)
			.satisfies((ex) -> assertThat(Errno.of(ex.errno())).isEqualTo(errno));
	}

	/**
	 * Two connected endpoints.
	 *
	 * @param listener the listener
	 * @param active the endpoint that connected
	 * @param passive the endpoint that accepted
	 */
	record Connected(long listener, Endpoint active, Endpoint passive) {

	}

}
