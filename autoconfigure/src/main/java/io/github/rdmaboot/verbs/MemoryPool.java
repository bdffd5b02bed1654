package io.github.rdmaboot.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.AccessFlag;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory of a protection domain, lent in blocks. It is registered in slabs,
 * for the access of the own device alone: a key for peers would open the neighbours of a
 * block to them. The pool grows when it has to, each time by as much as is in use. All
 * methods may be called from any thread.
 * <p>
 * The monitor of this object guards the slabs and all counts. No native call is made
 * under it, so one that is stuck holds up nobody but its caller and, for a limited time,
 * who finds no other room than what that call may bring.
 */
public final class MemoryPool {

	/** How long to wait for the growth of another thread. */
	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

	private final RdmaProvider provider;

	private final long pd;

	private final MemoryPoolLimits limits;

	private final List<MemorySlab> slabs = new ArrayList<>();

	private long registered;

	private long used;

	/** Threads that register memory. */
	private int growths;

	/** Threads that deregister memory to make room. */
	private int shrinkings;

	private boolean closed;

	MemoryPool(RdmaProvider provider, long pd, MemoryPoolLimits limits) {
		this.provider = provider;
		this.pd = pd;
		this.limits = limits;
	}

	/**
	 * Borrow memory; calls {@code ibv_reg_mr} when the pool has to grow for it.
	 * @param size the size in bytes, at least 0
	 * @return the memory, to be released once
	 * @throws MemoryPoolExhaustedException if the pool has reached its bound
	 * @throws RdmaException on ENOMEM or EPERM when the memlock limit is too low, ENOMEM
	 * when Java has no direct memory left
	 * @throws IllegalStateException if the device was given back
	 */
	public MemoryBlock allocate(int size) {
		if (size < 0 || size > PageMemory.MAX_SIZE) {
			throw new IllegalArgumentException("A block of registered memory cannot have " + size + " bytes");
		}
		int needed = PageMemory.wholePages(bytes(size));
		long end = System.nanoTime() + PATIENCE_NANOS;
		boolean interrupted = false;
		try {
			while (true) {
				int reserved;
				MemorySlab unused;
				synchronized (this) {
					MemoryBlock block = takeFree(size);
					if (block != null) {
						return block;
					}
					reserved = reserve(needed);
					unused = (reserved == 0) ? removeUnused() : null;
					if (reserved == 0 && unused == null) {
						interrupted |= awaitChange(needed, end);
					}
				}
				if (reserved > 0) {
					return takeFromNewSlab(size, needed, reserved);
				}
				if (unused != null) {
					makeRoom(unused);
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Return how much memory is registered.
	 * @return the size in bytes
	 */
	public synchronized long registered() {
		return this.registered;
	}

	/**
	 * Return how much memory is lent.
	 * @return the size in bytes
	 */
	public synchronized long used() {
		return this.used;
	}

	synchronized void giveBack(MemorySlab slab, int offset, int length) {
		slab.giveBack(offset, bytes(length));
		this.used -= bytes(length);
		notifyAll();
	}

	// Deregister everything, lent or not: the device is not in use any more. One that
	// fails does not keep the others.
	void close() {
		List<MemorySlab> left;
		synchronized (this) {
			this.closed = true;
			left = List.copyOf(this.slabs);
			this.slabs.clear();
			notifyAll();
		}
		EachCall calls = new EachCall();
		left.forEach((slab) -> calls.run(() -> deregister(slab)));
		calls.throwFirst();
	}

	private @Nullable MemoryBlock takeFree(int size) {
		if (this.closed) {
			throw closedException();
		}
		for (MemorySlab slab : this.slabs) {
			MemoryBlock block = take(slab, size);
			if (block != null) {
				return block;
			}
		}
		return null;
	}

	private @Nullable MemoryBlock take(MemorySlab slab, int size) {
		int offset = slab.take(bytes(size));
		if (offset < 0) {
			return null;
		}
		this.used += bytes(size);
		return new MemoryBlock(this, slab, offset, size);
	}

	private MemoryBlock takeFromNewSlab(int size, int needed, int reserved) {
		MemorySlab slab = makeSlab(needed, reserved);
		MemoryBlock block = add(slab, size, reserved);
		if (block == null) {
			deregister(slab);
			throw closedException();
		}
		return block;
	}

	private MemorySlab makeSlab(int needed, int reserved) {
		try {
			return new MemorySlab(register(reserved, needed));
		}
		catch (RuntimeException | Error ex) {
			endGrowth(reserved);
			throw ex;
		}
	}

	// Returns how much to register, 0 if there is no room for what is needed. While one
	// thread registers more than it needs, others do not.
	private int reserve(int needed) {
		long room = this.limits.maxSize() - this.registered;
		if (needed > room) {
			return 0;
		}
		long spare = (this.growths > 0) ? 0 : Math.min(this.used, this.limits.slabSize());
		int reserved = Math.max(needed, PageMemory.wholePages((int) Math.min(spare, room)));
		reserved = (int) Math.min(reserved, room & -PageMemory.PAGE);
		this.registered += reserved;
		this.growths++;
		return reserved;
	}

	// Slabs that nobody uses make room for one that is needed.
	private @Nullable MemorySlab removeUnused() {
		for (MemorySlab slab : this.slabs) {
			if (slab.isUnused()) {
				this.slabs.remove(slab);
				this.shrinkings++;
				return slab;
			}
		}
		return null;
	}

	private void makeRoom(MemorySlab unused) {
		try {
			deregister(unused);
		}
		finally {
			endShrinking();
		}
	}

	private synchronized void endShrinking() {
		this.shrinkings--;
		notifyAll();
	}

	// Wait for what other threads are registering, more than they need, or deregistering.
	// One that is stuck counts as reached bound after some time. Returns whether the
	// thread was interrupted, which is no reason to go without memory.
	private boolean awaitChange(int needed, long end) {
		long left = end - System.nanoTime();
		if (this.growths + this.shrinkings == 0 || left <= 0) {
			throw new MemoryPoolExhaustedException(needed, this.used, this.registered, this.limits.maxSize());
		}
		try {
			TimeUnit.NANOSECONDS.timedWait(this, left);
			return false;
		}
		catch (InterruptedException ex) {
			return true;
		}
	}

	private synchronized void endGrowth(int notMade) {
		this.growths--;
		this.registered -= notMade;
		notifyAll();
	}

	private synchronized @Nullable MemoryBlock add(MemorySlab slab, int size, int reserved) {
		endGrowth(reserved - (int) slab.region().length());
		if (this.closed) {
			return null;
		}
		this.slabs.add(slab);
		return take(slab, size);
	}

	// The limit of locked memory may leave room for what is needed and no more.
	private MemoryRegion register(int wanted, int needed) {
		try {
			return register(wanted);
		}
		catch (RdmaException ex) {
			if (wanted == needed) {
				throw ex;
			}
			return register(needed);
		}
	}

	private MemoryRegion register(int size) {
		return MemoryRegion.register(this.provider, this.pd, PageMemory.allocate(size), AccessFlag.LOCAL_WRITE.value());
	}

	private void deregister(MemorySlab slab) {
		slab.region().deregister();
		synchronized (this) {
			this.registered -= slab.region().length();
		}
	}

	private int bytes(int size) {
		int alignment = this.limits.alignment();
		return (Math.max(1, size) + alignment - 1) & -alignment;
	}

	private static IllegalStateException closedException() {
		return new IllegalStateException("The device of this pool of registered memory was given back");
	}

}
