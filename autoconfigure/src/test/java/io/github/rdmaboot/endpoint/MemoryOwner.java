package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

/**
 * A process of its own whose memory another process works on:
 * {@link NativeTwoProcessesIT} starts it. Each connection names in its first message what
 * memory it wants, and gets the description of it; any further message is answered with
 * what is in the memory.
 */
public final class MemoryOwner {

	static final int SIZE = 4096;

	/** What the first message names when nothing is wrong with the memory. */
	static final String NO_MISTAKE = "NONE";

	private MemoryOwner() {
	}

	/**
	 * Run until the standard input ends; the exit status is 0 when all was destroyed.
	 * @param arguments address and port to listen on
	 * @throws Exception if the server cannot be started
	 */
	public static void main(String[] arguments) throws Exception {
		RdmaEndpoints registry = new RdmaEndpoints(JnaRdmaProvider::open, ShutdownSettings.defaults(), null);
		RdmaServer server = registry.addServer(new ServerSettings("memory-owner", arguments[0],
				Integer.parseInt(arguments[1]), 16, ConnectedPair.QUEUE_PAIR, ConnectedPair.CONNECTION,
				ConnectedPair.MEMORY, CompletionSettings.defaults()));
		ExecutorService threads = Executors.newCachedThreadPool();
		server.onConnection((connection) -> threads.execute(() -> serve(connection)));
		registry.start();
		System.out.println("listening");
		System.in.readAllBytes();
		List<DestroyReport> reports = registry.destroyAll(DestroyTrigger.SHUTDOWN);
		registry.close();
		threads.shutdown();
		reports.forEach((report) -> System.out.println(report.toLine()));
		System.exit(reports.stream().allMatch((report) -> report.result() == DestroyResult.SUCCESS) ? 0 : 1);
	}

	// A thread for each connection; prints how the connection ended for this side.
	private static void serve(RdmaConnection connection) {
		String wanted = "nothing yet";
		try {
			wanted = new String(connection.receive().get(), StandardCharsets.US_ASCII);
			String[] words = wanted.split(" ");
			RegisteredMemory memory = null;
			RemoteMemory remote;
			if (words[1].equals(NO_MISTAKE)) {
				memory = connection.memory().allocate(SIZE, RemoteAccess.READ, RemoteAccess.WRITE, RemoteAccess.ATOMIC);
				remote = memory.remote();
			}
			else {
				remote = OperationFailureContract.Mistake.valueOf(words[1])
					.make(connection, OperationFailureContract.Access.valueOf(words[0]));
			}
			ByteBuffer description = ByteBuffer.allocate(RemoteMemory.ENCODED_LENGTH);
			remote.writeTo(description);
			connection.send(description.flip());
			while (true) {
				connection.receive().get();
				connection.send((memory != null) ? memory.data().duplicate().clear() : ByteBuffer.allocate(0));
			}
		}
		catch (ExecutionException | ConnectionClosedException ex) {
			Throwable cause = (ex instanceof ExecutionException) ? ex.getCause() : ex;
			System.out.printf("ended: %s: %s%n", wanted, cause.getClass().getSimpleName());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
