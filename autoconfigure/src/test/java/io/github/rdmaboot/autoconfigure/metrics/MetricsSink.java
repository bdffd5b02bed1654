package io.github.rdmaboot.autoconfigure.metrics;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * HTTP server on the loopback address that takes whatever metrics are sent to it.
 */
final class MetricsSink implements AutoCloseable {

	private final HttpServer server;

	private final List<Request> requests = new CopyOnWriteArrayList<>();

	MetricsSink() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/", this::take);
		this.server.start();
	}

	private void take(HttpExchange exchange) throws IOException {
		boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
		try (exchange;
				InputStream body = zipped ? new GZIPInputStream(exchange.getRequestBody())
						: exchange.getRequestBody()) {
			this.requests
				.add(new Request(exchange.getRequestMethod(), exchange.getRequestURI().getPath(), body.readAllBytes()));
			exchange.sendResponseHeaders(200, -1);
		}
	}

	String address() {
		return this.server.getAddress().getAddress().getHostAddress() + ":" + this.server.getAddress().getPort();
	}

	List<Request> requests() {
		return this.requests;
	}

	@Override
	public void close() {
		this.server.stop(0);
	}

	record Request(String method, String path, byte[] body) {

	}

}
