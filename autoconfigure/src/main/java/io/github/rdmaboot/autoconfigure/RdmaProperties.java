package io.github.rdmaboot.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.rdmaboot.endpoint.ClientStartup;
import io.github.rdmaboot.endpoint.FlowControl;
import io.github.rdmaboot.endpoint.HandlerThread;
import io.github.rdmaboot.endpoint.OversizedMessages;
import io.github.rdmaboot.endpoint.WhenFull;
import io.github.rdmaboot.verbs.CompletionMode;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Configuration properties of RDMA endpoints.
 *
 * @param enabled Whether to configure RDMA endpoints.
 * @param provider How the provider of the RDMA calls is chosen.
 * @param callTimeout How long one native call may take when endpoints start, when a
 * request is accepted, and otherwise between start and stop. Joins of groups and attempts
 * to connect have the limits of their endpoint.
 * @param lifecycle Start and stop together with the application.
 * @param shutdown Limits of the orderly destroy of endpoints.
 * @param metrics Meters of endpoints.
 * @param memory Registered memory that endpoints share.
 * @param servers Endpoints that listen, by name. The name is that of the endpoint's bean.
 * @param clients Endpoints that connect, by name. The name is that of the endpoint's
 * bean.
 * @param datagrams Endpoints that exchange datagrams, by name. The name is that of the
 * endpoint's bean.
 */
@ConfigurationProperties("rdma")
public record RdmaProperties(@DefaultValue("true") boolean enabled, @DefaultValue("native") RdmaProviderType provider,
		@DefaultValue("5s") Duration callTimeout, @DefaultValue Lifecycle lifecycle, @DefaultValue Shutdown shutdown,
		@DefaultValue Metrics metrics, @DefaultValue SharedMemory memory, @DefaultValue Map<String, Server> servers,
		@DefaultValue Map<String, Client> clients, @DefaultValue Map<String, Datagrams> datagrams) {

	/**
	 * Start and stop together with the application.
	 *
	 * @param phase Phase in which endpoints start and stop. Lower phases start earlier
	 * and stop later.
	 * @param autoStartup Whether endpoints start with the application.
	 */
	public record Lifecycle(@DefaultValue("" + RdmaLifecycle.DEFAULT_PHASE) int phase,
			@DefaultValue("true") boolean autoStartup) {

	}

	/**
	 * Limits of the orderly destroy of endpoints.
	 *
	 * @param timeout Limit of the whole destroy of all endpoints. Should be less than
	 * 'spring.lifecycle.timeout-per-shutdown-phase'.
	 * @param disconnectGrace How long all peers together may take to disconnect.
	 * @param drainTimeout How long all posted requests together may take to complete.
	 * @param destroyTimeout How long one native call of a destroy may take before it is
	 * left behind.
	 */
	public record Shutdown(@DefaultValue("20s") Duration timeout, @DefaultValue("3s") Duration disconnectGrace,
			@DefaultValue("2s") Duration drainTimeout, @DefaultValue("5s") Duration destroyTimeout) {

	}

	/**
	 * Meters of endpoints.
	 *
	 * @param exportOnShutdown Whether registries that push their meters publish for the
	 * last time after endpoints were destroyed, instead of before.
	 */
	public record Metrics(@DefaultValue("true") boolean exportOnShutdown) {

	}

	/**
	 * Registered memory that endpoints share.
	 *
	 * @param pool Pool of each device.
	 */
	public record SharedMemory(@DefaultValue Pool pool) {

	}

	/**
	 * Pool of registered memory.
	 *
	 * @param slabSize How much to register together at most, unless more is needed in one
	 * piece.
	 * @param maxSize How much to register in all.
	 * @param alignment What the addresses of buffers are multiples of. A power of two
	 * from 8B to 4KB.
	 */
	public record Pool(@DefaultValue("8MB") DataSize slabSize, @DefaultValue("4GB") DataSize maxSize,
			@DefaultValue("64B") DataSize alignment) {

	}

	/**
	 * Endpoint that listens.
	 *
	 * @param address Local address or host name to listen on. '*' stands for all.
	 * @param port Port to listen on. 0 takes an ephemeral one.
	 * @param backlog How many connection requests may wait to be taken. 0 takes the
	 * system's maximum.
	 * @param relisten How to listen again after the device was removed.
	 * @param queuePair Sizes of the queue pair of each connection.
	 * @param connection Parameters of each connection.
	 * @param memory Registered memory of each connection.
	 * @param completion How completions are taken and handed on.
	 * @param sharedReceiveQueue Receive queue that all connections share.
	 * @param messages Messages of each connection.
	 */
	public record Server(@DefaultValue("*") String address, @Nullable Integer port, @DefaultValue("128") int backlog,
			@DefaultValue Relisten relisten, @DefaultValue QueuePair queuePair, @DefaultValue Connection connection,
			@DefaultValue Memory memory, @DefaultValue Completion completion,
			@DefaultValue SharedReceiveQueue sharedReceiveQueue, @DefaultValue Messages messages) {

	}

	/**
	 * Messages of a connection.
	 *
	 * @param oversized What becomes of messages that are larger than a buffer. Both sides
	 * must be configured alike.
	 * @param maxSize Size of the largest message that is sent or put together in
	 * fragments.
	 * @param flowControl How messages are kept from overrunning the buffers of the peer.
	 * Both sides must be configured alike.
	 */
	public record Messages(@DefaultValue("reject") OversizedMessages oversized, @DefaultValue("64MB") DataSize maxSize,
			@DefaultValue("none") FlowControl flowControl) {

	}

	/**
	 * Receive queue that the connections of a server share.
	 *
	 * @param size How many buffers the connections on a device share for receiving. 0
	 * gives each connection buffers of its own.
	 */
	public record SharedReceiveQueue(@DefaultValue("0") int size) {

	}

	/**
	 * Endpoint that connects.
	 *
	 * @param address Address or host name of the peer.
	 * @param port Port of the peer.
	 * @param localAddress Local address to connect from. By default the route decides.
	 * @param resolveTimeout Limit of resolving the address, and that of resolving the
	 * route.
	 * @param connectTimeout Limit of connecting once address and route are resolved.
	 * @param startup When to connect first.
	 * @param reconnect How to make a lost connection anew.
	 * @param queuePair Sizes of the queue pair of the connection.
	 * @param connection Parameters of the connection.
	 * @param memory Registered memory of the connection.
	 * @param completion How completions are taken and handed on.
	 * @param messages Messages of the connection.
	 */
	public record Client(@Nullable String address, @Nullable Integer port, @Nullable String localAddress,
			@DefaultValue("2s") Duration resolveTimeout, @DefaultValue("5s") Duration connectTimeout,
			@DefaultValue("background") ClientStartup startup, @DefaultValue Reconnect reconnect,
			@DefaultValue QueuePair queuePair, @DefaultValue Connection connection, @DefaultValue Memory memory,
			@DefaultValue Completion completion, @DefaultValue Messages messages) {

	}

	/**
	 * Endpoint that exchanges datagrams.
	 *
	 * @param address Local address or host name, which decides on the device.
	 * @param port Port on which peers ask for the queue pair. 0 takes an ephemeral one.
	 * By default nobody can ask.
	 * @param backlog How many peers that ask may wait. 0 takes the system's maximum.
	 * @param resolveTimeout Limit of resolving the address of a peer, and that of
	 * resolving the route to it.
	 * @param connectTimeout Limit of asking a peer for its queue pair, and of joining a
	 * multicast group.
	 * @param maxPeers How many address handles to keep, and how many senders of datagrams
	 * to know.
	 * @param tos Type of service of the packets, from 0 to 255. By default the system's.
	 * @param relisten How to come up again after the device was removed.
	 * @param memory Registered memory of the endpoint.
	 * @param multicast Multicast groups of the endpoint.
	 * @param completion How completions are taken and handed on.
	 */
	public record Datagrams(@Nullable String address, @Nullable Integer port, @DefaultValue("128") int backlog,
			@DefaultValue("2s") Duration resolveTimeout, @DefaultValue("5s") Duration connectTimeout,
			@DefaultValue("1024") int maxPeers, @Nullable Integer tos, @DefaultValue Relisten relisten,
			@DefaultValue DatagramMemory memory, @DefaultValue Multicast multicast,
			@DefaultValue Completion completion) {

	}

	/**
	 * Registered memory of a datagram endpoint.
	 *
	 * @param bufferCount How many buffers there are for sending, and as many for
	 * receiving. Each holds the largest datagram.
	 */
	public record DatagramMemory(@DefaultValue("64") int bufferCount) {

	}

	/**
	 * Multicast groups.
	 *
	 * @param groups Addresses of the groups to join at the start.
	 */
	public record Multicast(@DefaultValue List<String> groups) {

	}

	/**
	 * How to listen again after the device was removed.
	 *
	 * @param enabled Whether to listen again after the device that has the address was
	 * removed. A server on all addresses goes on listening anyhow.
	 * @param initialBackoff Pause before the first attempt. Doubled for each further one.
	 * @param maxBackoff Longest pause between attempts.
	 * @param jitter Part of each pause that is random, from 0 to 1.
	 * @param maxAttempts How many attempts to make before giving up. 0 sets no limit.
	 */
	public record Relisten(@DefaultValue("true") boolean enabled, @DefaultValue("100ms") Duration initialBackoff,
			@DefaultValue("10s") Duration maxBackoff, @DefaultValue("0.2") double jitter,
			@DefaultValue("0") int maxAttempts) {

	}

	/**
	 * How to make a lost connection anew.
	 *
	 * @param enabled Whether to make a lost connection anew.
	 * @param initialBackoff Pause before the first attempt. Doubled for each further one.
	 * @param maxBackoff Longest pause between attempts.
	 * @param jitter Part of each pause that is random, from 0 to 1.
	 * @param maxAttempts How many attempts to make before giving up. 0 sets no limit.
	 */
	public record Reconnect(@DefaultValue("true") boolean enabled, @DefaultValue("100ms") Duration initialBackoff,
			@DefaultValue("10s") Duration maxBackoff, @DefaultValue("0.2") double jitter,
			@DefaultValue("0") int maxAttempts) {

	}

	/**
	 * Sizes of a queue pair.
	 *
	 * @param maxSendWr How many sends may be outstanding. By default as many as there are
	 * buffers.
	 * @param maxRecvWr How many receives may be posted. By default as many as there are
	 * buffers.
	 * @param maxSendSge How many buffers a send may have.
	 * @param maxRecvSge How many buffers a receive may have.
	 * @param maxInlineData How many bytes a send may carry inline.
	 * @param whenFull What becomes of an operation that finds the send queue full.
	 * @param fullTimeout How long an operation waits for room in the send queue, or,
	 * where it is parked, for credits.
	 * @param parkLimit How many operations are kept until there is room in the send
	 * queue. For as many messages there are further buffers.
	 */
	public record QueuePair(@Nullable Integer maxSendWr, @Nullable Integer maxRecvWr, @DefaultValue("1") int maxSendSge,
			@DefaultValue("1") int maxRecvSge, @DefaultValue("0") int maxInlineData,
			@DefaultValue("wait") WhenFull whenFull, @DefaultValue("10s") Duration fullTimeout,
			@DefaultValue("64") int parkLimit) {

	}

	/**
	 * Parameters of a connection.
	 *
	 * @param responderResources How many reads and atomics of the peer to serve at once,
	 * from 0 to 255.
	 * @param initiatorDepth How many reads and atomics may be outstanding, from 0 to 255.
	 * @param retryCount How often to send an unanswered packet again, from 0 to 7. With 7
	 * some devices, soft-RoCE among them, never report a dead peer.
	 * @param rnrRetryCount How often to send a packet again for which the peer had no
	 * receive, from 0 to 7. 7 means without end.
	 * @param privateData Text for the peer, sent as UTF-8 with the request or the
	 * acceptance. At most 56 bytes of a client and 196 of a server on InfiniBand and
	 * RoCE.
	 * @param tos Type of service of the packets, from 0 to 255. By default the system's.
	 * @param ackTimeout Acknowledgement timeout as an exponent n from 0 to 31 of 4.096 µs
	 * · 2^n. By default the system's.
	 */
	public record Connection(@DefaultValue("1") int responderResources, @DefaultValue("1") int initiatorDepth,
			@DefaultValue("6") int retryCount, @DefaultValue("7") int rnrRetryCount,
			@DefaultValue("") String privateData, @Nullable Integer tos, @Nullable Integer ackTimeout) {

	}

	/**
	 * How completions are taken and handed on.
	 *
	 * @param mode How the completion thread learns of completions. With 'poll' it keeps a
	 * processor busy.
	 * @param spinTime How long the thread goes on polling after the last completion
	 * before it sleeps, in the mode 'adaptive'. From 1us to 1s.
	 * @param cpu CPU that the thread is pinned to, from 0. By default it runs on any.
	 * @param handlers Where message handlers, callbacks and what depends on futures run.
	 * On the completion thread they must not block.
	 */
	public record Completion(@DefaultValue("event") CompletionMode mode, @DefaultValue("50us") Duration spinTime,
			@Nullable Integer cpu, @DefaultValue("executor") HandlerThread handlers) {

	}

	/**
	 * Registered memory of a connection.
	 *
	 * @param bufferSize Size of a buffer, and of the largest message unless messages are
	 * sent in fragments.
	 * @param bufferCount How many buffers there are for sending, and as many for
	 * receiving.
	 */
	public record Memory(@DefaultValue("16KB") DataSize bufferSize, @DefaultValue("16") int bufferCount) {

	}

}
