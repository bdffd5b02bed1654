package io.github.rdmaboot.endpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.NonWritableChannelException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.verbs.Device;
import io.github.rdmaboot.verbs.EachCall;

/**
 * Memory for the operations of a connection. It lives until it is closed, and no longer
 * than the connection: what is left then is freed after the queue pair was destroyed. All
 * methods may be called from any thread. None is meant for each operation: allocate or
 * register once, and use the memory again and again.
 */
public final class ConnectionMemory {

	private final RdmaConnection connection;

	private final ConnectionResources resources;

	private final EndpointStatistics statistics;

	private final Set<RdmaMemory> open = ConcurrentHashMap.newKeySet();

	ConnectionMemory(RdmaConnection connection, ConnectionResources resources, EndpointStatistics statistics) {
		this.connection = connection;
		this.resources = resources;
		this.statistics = statistics;
	}

	/**
	 * Take a buffer from the pool of the device, which peers cannot reach; calls
	 * {@code ibv_reg_mr} only if the pool has to grow. Its first content is whatever the
	 * memory was used for before. Views of it must not be used after its release, for
	 * others get the memory then.
	 * @param size the size in bytes, from 0
	 * @return the buffer, to be closed
	 * @throws ConnectionClosedException if the connection is not open
	 * @throws io.github.rdmaboot.verbs.MemoryPoolExhaustedException if the pool has
	 * reached {@code rdma.memory.pool.max-size}
	 * @throws RdmaException on ENOMEM or EPERM when the limit of locked memory is too
	 * low, ENOMEM when Java has no direct memory left
	 */
	public PooledBuffer allocate(int size) {
		return make((device) -> PooledBuffer.allocate(device, size, this::freed));
	}

	/**
	 * Allocate memory and register it by itself; stands for {@code ibv_reg_mr}.
	 * @param size the size in bytes, at least 1
	 * @param access what peers may do with it
	 * @return the memory, all zero, to be closed
	 * @throws ConnectionClosedException if the connection is not open
	 * @throws RdmaException on ENOMEM or EPERM when the limit of locked memory is too
	 * low, ENOMEM when Java has no direct memory left
	 */
	public RegisteredMemory allocate(int size, RemoteAccess... access) {
		return make((device) -> RegisteredMemory.allocate(device, size, this::freed, access));
	}

	/**
	 * Register memory of the application's own, which is then used without a copy; stands
	 * for {@code ibv_reg_mr}. It stays reachable as long as it is registered. A read-only
	 * buffer can be the source of sends and writes, and be read by peers.
	 * @param memory a direct buffer, registered from its position to its limit
	 * @param access what peers may do with it
	 * @return the memory, to be closed
	 * @throws IllegalArgumentException if the buffer is not direct, has no bytes left, or
	 * is read-only and peers would write to it
	 * @throws ConnectionClosedException if the connection is not open
	 * @throws RdmaException on ENOMEM or EPERM when the limit of locked memory is too low
	 */
	public RegisteredMemory register(ByteBuffer memory, RemoteAccess... access) {
		return make((device) -> RegisteredMemory.register(device, memory, this::freed, access));
	}

	/**
	 * Map a part of a file into memory and register it; stands for {@code mmap} and
	 * {@code ibv_reg_mr}. It is read-only unless the channel is open for writing. Linux
	 * before 6.2 registers nothing that is read-only, and from 6.5 on nothing that is
	 * writable but files in memory ({@code tmpfs}, {@code hugetlbfs}).
	 * @param file a channel that is open for reading
	 * @param position where the part begins, from 0
	 * @param size the size of the part in bytes, at least 1; a channel that is open for
	 * writing makes a shorter file as long as that
	 * @param access what peers may do with it
	 * @return the memory, to be closed; the mapping ends some time after that
	 * @throws IOException if the file cannot be mapped
	 * @throws IllegalArgumentException if the channel is read-only and peers would write
	 * @throws ConnectionClosedException if the connection is not open
	 * @throws RdmaException on ENOMEM or EPERM when the limit of locked memory is too
	 * low, EFAULT when the kernel does not register such a file
	 */
	public RegisteredMemory map(FileChannel file, long position, int size, RemoteAccess... access) throws IOException {
		ByteBuffer mapped = map(file, position, size);
		try {
			return register(mapped, access);
		}
		catch (RdmaException ex) {
			throw (ex.errno() == Errno.EFAULT.value()) ? unsuitable(ex, mapped.isReadOnly()) : ex;
		}
	}

	private static RdmaException unsuitable(RdmaException cause, boolean readOnly) {
		RdmaException failure = new RdmaException(cause.call(), cause.errno(),
				cause.getMessage() + ": the kernel does not register this file, " + (readOnly
						? "which needs to be open for writing before Linux 6.2"
						: "which from Linux 6.5 on needs to be in memory (tmpfs, hugetlbfs) or open for reading only"));
		failure.initCause(cause);
		return failure;
	}

	private static ByteBuffer map(FileChannel file, long position, int size) throws IOException {
		try {
			return file.map(MapMode.READ_WRITE, position, size);
		}
		catch (NonWritableChannelException ex) {
			return file.map(MapMode.READ_ONLY, position, size);
		}
	}

	// Free what was not closed, after the queue pair was destroyed. If it could not be,
	// the device may still use the memory: a region ends with its registration, but
	// memory of the pool must not be lent again.
	void release(boolean queuePairDestroyed) {
		EachCall calls = new EachCall();
		this.open.forEach((memory) -> calls.run(() -> release(memory, queuePairDestroyed)));
		calls.throwFirst();
	}

	private static void release(RdmaMemory memory, boolean queuePairDestroyed) {
		if (!(memory instanceof PooledBuffer buffer)) {
			memory.close();
		}
		else if (queuePairDestroyed) {
			buffer.connectionEnded();
		}
	}

	private <M extends RdmaMemory> M make(Function<Device, M> factory) {
		return this.connection.whileNotClosing(() -> {
			Device device = this.resources.device();
			if (device == null) {
				throw this.connection.closedException();
			}
			M memory = factory.apply(device);
			this.open.add(memory);
			this.statistics.registered(memory.length());
			return memory;
		});
	}

	private void freed(RdmaMemory memory) {
		this.open.remove(memory);
		this.statistics.deregistered(memory.length());
	}

}
