package io.github.rdmaboot.sample;

import java.nio.ByteBuffer;

import io.github.rdmaboot.endpoint.RdmaConnection;
import io.github.rdmaboot.endpoint.RdmaServer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Sends back each message that arrives at the server endpoint {@code echo}.
 */
@Component
@Profile("!client")
class EchoServer {

	private static final Logger logger = LoggerFactory.getLogger(EchoServer.class);

	EchoServer(@Qualifier("echo") RdmaServer server) {
		server.onMessage(EchoServer::echo);
	}

	private static void echo(RdmaConnection connection, ByteBuffer message) {
		connection.send(message, (error) -> sent(connection, error));
	}

	private static void sent(RdmaConnection connection, @Nullable RuntimeException error) {
		if (error != null) {
			logger.warn("An answer on {} was not delivered: {}", connection, error.getMessage());
		}
	}

}
