package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Both sides of the protocol of {@code rping}. For each ping the client tells where its
 * text is, which the server reads, and then where to write it back. The server
 * acknowledges either with a message of the same size that has no meaning.
 */
final class Pings {

	/** Address, key and length, all big-endian. */
	private static final int MESSAGE = 16;

	private static final int FIRST_LETTER = 'A';

	private static final int LETTERS = 'z' - 'A' + 1;

	private Pings() {
	}

	// The text of a ping: its number, then letters which begin one later each time.
	static byte[] text(int ping, int size) {
		byte[] text = new byte[size];
		byte[] begin = ("rdma-ping-" + ping + ": ").getBytes(StandardCharsets.US_ASCII);
		System.arraycopy(begin, 0, text, 0, begin.length);
		for (int i = begin.length; i < size - 1; i++) {
			text[i] = (byte) (FIRST_LETTER + (ping + i - begin.length) % LETTERS);
		}
		return text;
	}

	private static ByteBuffer encode(RemoteMemory memory) {
		return ByteBuffer.allocate(MESSAGE)
			.putLong(memory.address())
			.putInt(memory.rkey())
			.putInt((int) memory.length())
			.flip();
	}

	private static RemoteMemory decode(ByteBuffer message) {
		return new RemoteMemory(message.getLong(), message.getInt(), Integer.toUnsignedLong(message.getInt()));
	}

	// Ping a server and compare what comes back.
	static void ping(RdmaConnection connection, int count, int size) throws Exception {
		try (RegisteredMemory source = connection.memory().allocate(size, RemoteAccess.READ);
				RegisteredMemory sink = connection.memory().allocate(size, RemoteAccess.WRITE)) {
			for (int ping = 0; ping < count; ping++) {
				byte[] text = text(ping, size);
				source.data().put(0, text);
				tell(connection, source.remote());
				tell(connection, sink.remote());
				byte[] answer = new byte[size];
				sink.data().get(0, answer);
				assertThat(answer).as("answer to ping %d", ping).isEqualTo(text);
			}
		}
	}

	private static void tell(RdmaConnection connection, RemoteMemory memory) throws Exception {
		connection.send(encode(memory)).get(60, TimeUnit.SECONDS);
		assertThat(connection.receive().get(60, TimeUnit.SECONDS)).hasSize(MESSAGE);
	}

	/**
	 * Serves the pings of one connection.
	 */
	static final class Server implements RdmaMessageHandler {

		private final int size;

		private final AtomicInteger served = new AtomicInteger();

		private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

		private PooledBuffer text;

		Server(int size) {
			this.size = size;
		}

		int served() {
			return this.served.get();
		}

		Queue<String> wrong() {
			return this.wrong;
		}

		@Override
		public void onMessage(RdmaConnection connection, ByteBuffer message) {
			RemoteMemory remote = decode(message);
			if (this.text == null) {
				this.text = connection.memory().allocate(this.size);
				connection.blocking().read(this.text, 0, remote, 0, this.size);
				byte[] read = new byte[this.size];
				this.text.data().get(0, read);
				if (!Arrays.equals(read, text(this.served.get(), this.size))) {
					this.wrong.add("ping " + this.served + ": " + new String(read, StandardCharsets.US_ASCII));
				}
			}
			else {
				connection.blocking().write(this.text, 0, remote, 0, this.size);
				this.text.close();
				this.text = null;
				this.served.incrementAndGet();
			}
			connection.send(ByteBuffer.allocate(MESSAGE), (error) -> {
			});
		}

	}

}
