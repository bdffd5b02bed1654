package io.github.rdmaboot.autoconfigure;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.github.rdmaboot.autoconfigure.RdmaProperties.Client;
import io.github.rdmaboot.autoconfigure.RdmaProperties.Completion;
import io.github.rdmaboot.autoconfigure.RdmaProperties.Connection;
import io.github.rdmaboot.autoconfigure.RdmaProperties.Datagrams;
import io.github.rdmaboot.autoconfigure.RdmaProperties.Memory;
import io.github.rdmaboot.autoconfigure.RdmaProperties.Messages;
import io.github.rdmaboot.autoconfigure.RdmaProperties.Pool;
import io.github.rdmaboot.autoconfigure.RdmaProperties.QueuePair;
import io.github.rdmaboot.autoconfigure.RdmaProperties.Reconnect;
import io.github.rdmaboot.autoconfigure.RdmaProperties.Relisten;
import io.github.rdmaboot.autoconfigure.RdmaProperties.Server;
import io.github.rdmaboot.autoconfigure.RdmaProperties.Shutdown;
import io.github.rdmaboot.endpoint.ClientSettings;
import io.github.rdmaboot.endpoint.CompletionSettings;
import io.github.rdmaboot.endpoint.ConnectionSettings;
import io.github.rdmaboot.endpoint.DatagramSettings;
import io.github.rdmaboot.endpoint.MemoryPoolSettings;
import io.github.rdmaboot.endpoint.MemorySettings;
import io.github.rdmaboot.endpoint.MessageSettings;
import io.github.rdmaboot.endpoint.QueuePairSettings;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.ReconnectSettings;
import io.github.rdmaboot.endpoint.ServerSettings;
import io.github.rdmaboot.endpoint.ShutdownSettings;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Converts bound properties to the settings of endpoints. A value that the settings
 * refuse is reported with the full name of its property.
 */
final class SettingsConverter {

	private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z0-9-]+");

	/** The settings say what is wrong as {@code <setting> is <value> but must ...}. */
	private static final Pattern SETTING = Pattern.compile("([a-z.-]+) is .*", Pattern.DOTALL);

	private SettingsConverter() {
	}

	static RdmaEndpoints registry(RdmaProperties properties, Supplier<RdmaProvider> providers,
			@Nullable Executor handlerExecutor) {
		ShutdownSettings shutdown = shutdown(properties.shutdown());
		MemoryPoolSettings memoryPool = memoryPool(properties.memory().pool());
		return convert("rdma",
				() -> new RdmaEndpoints(providers, properties.callTimeout(), shutdown, memoryPool, handlerExecutor));
	}

	static ShutdownSettings shutdown(Shutdown properties) {
		return convert("rdma.shutdown", () -> new ShutdownSettings(properties.timeout(), properties.disconnectGrace(),
				properties.drainTimeout(), properties.destroyTimeout()));
	}

	static MemoryPoolSettings memoryPool(Pool properties) {
		return convert("rdma.memory.pool", () -> new MemoryPoolSettings(properties.slabSize().toBytes(),
				properties.maxSize().toBytes(), properties.alignment().toBytes()));
	}

	static ServerSettings server(String name, Server properties) {
		String path = path("rdma.servers", name);
		int port = required(path, "port", properties.port());
		MemorySettings memory = memory(path, properties.memory(), properties.messages());
		QueuePairSettings queuePair = queuePair(path, properties.queuePair(), memory);
		ConnectionSettings connection = connection(path, properties.connection());
		CompletionSettings completion = completion(path, properties.completion());
		ReconnectSettings relisten = relisten(path, properties.relisten());
		return convert(path, () -> new ServerSettings(name, properties.address(), port, properties.backlog(), queuePair,
				connection, memory, completion, relisten, properties.sharedReceiveQueue().size()));
	}

	static ClientSettings client(String name, Client properties) {
		String path = path("rdma.clients", name);
		String address = required(path, "address", properties.address());
		int port = required(path, "port", properties.port());
		MemorySettings memory = memory(path, properties.memory(), properties.messages());
		QueuePairSettings queuePair = queuePair(path, properties.queuePair(), memory);
		ConnectionSettings connection = connection(path, properties.connection());
		CompletionSettings completion = completion(path, properties.completion());
		ReconnectSettings reconnect = reconnect(path, properties.reconnect());
		return convert(path,
				() -> new ClientSettings(name, address, port, orNull(properties.localAddress()),
						properties.resolveTimeout(), properties.connectTimeout(), properties.startup(), reconnect,
						queuePair, connection, memory, completion));
	}

	static DatagramSettings datagrams(String name, Datagrams properties) {
		String path = path("rdma.datagrams", name);
		String address = required(path, "address", properties.address());
		List<InetAddress> groups = new ArrayList<>();
		for (String group : properties.multicast().groups()) {
			groups.add(convert(path, () -> DatagramSettings.group(group)));
		}
		CompletionSettings completion = completion(path, properties.completion());
		ReconnectSettings relisten = relisten(path, properties.relisten());
		return convert(path, () -> new DatagramSettings(name, address, properties.port(), properties.backlog(),
				properties.resolveTimeout(), properties.connectTimeout(), groups, properties.memory().bufferCount(),
				properties.maxPeers(), properties.tos(), completion, relisten));
	}

	private static ReconnectSettings relisten(String path, Relisten properties) {
		return convert(path + ".relisten", () -> new ReconnectSettings(properties.enabled(),
				properties.initialBackoff(), properties.maxBackoff(), properties.jitter(), properties.maxAttempts()));
	}

	private static ReconnectSettings reconnect(String path, Reconnect properties) {
		return convert(path + ".reconnect", () -> new ReconnectSettings(properties.enabled(),
				properties.initialBackoff(), properties.maxBackoff(), properties.jitter(), properties.maxAttempts()));
	}

	private static QueuePairSettings queuePair(String path, QueuePair properties, MemorySettings memory) {
		Integer maxSendWr = properties.maxSendWr();
		Integer maxRecvWr = properties.maxRecvWr();
		return convert(path + ".queue-pair",
				() -> new QueuePairSettings((maxSendWr != null) ? maxSendWr : memory.bufferCount(),
						(maxRecvWr != null) ? maxRecvWr : memory.bufferCount(), properties.maxSendSge(),
						properties.maxRecvSge(), properties.maxInlineData(), properties.whenFull(),
						properties.fullTimeout(), properties.parkLimit()));
	}

	private static ConnectionSettings connection(String path, Connection properties) {
		return convert(path + ".connection", () -> new ConnectionSettings(properties.responderResources(),
				properties.initiatorDepth(), properties.retryCount(), properties.rnrRetryCount(),
				properties.privateData().getBytes(StandardCharsets.UTF_8), properties.tos(), properties.ackTimeout()));
	}

	private static CompletionSettings completion(String path, Completion properties) {
		return convert(path + ".completion", () -> new CompletionSettings(properties.mode(), properties.spinTime(),
				properties.cpu(), properties.handlers()));
	}

	private static MemorySettings memory(String path, Memory properties, Messages messages) {
		MessageSettings settings = convert(path + ".messages",
				() -> MessageSettings.of(messages.oversized(), messages.maxSize().toBytes(), messages.flowControl()));
		return convert(path + ".memory",
				() -> MemorySettings.of(properties.bufferSize().toBytes(), properties.bufferCount(), settings));
	}

	static <T> T required(String path, String setting, @Nullable T value) {
		if (value == null) {
			String property = path + "." + setting;
			throw new InvalidRdmaPropertyException(property, property + " is not set but must be");
		}
		return value;
	}

	// An empty value, as that of a placeholder may be, sets nothing.
	private static @Nullable String orNull(@Nullable String value) {
		return StringUtils.hasText(value) ? value : null;
	}

	private static <T> T convert(String path, Supplier<T> settings) {
		try {
			return settings.get();
		}
		catch (IllegalArgumentException ex) {
			String message = String.valueOf(ex.getMessage());
			var setting = SETTING.matcher(message);
			InvalidRdmaPropertyException invalid = setting.matches()
					? new InvalidRdmaPropertyException(path + "." + setting.group(1), path + "." + message)
					: new InvalidRdmaPropertyException(path, "in " + path + ", " + message);
			invalid.initCause(ex);
			throw invalid;
		}
	}

	static String path(String map, String name) {
		return PLAIN_NAME.matcher(name).matches() ? map + "." + name : map + "[" + name + "]";
	}

}
