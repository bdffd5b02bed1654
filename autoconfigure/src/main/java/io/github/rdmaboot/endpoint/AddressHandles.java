package io.github.rdmaboot.endpoint;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.verbs.AddressHandle;
import io.github.rdmaboot.verbs.Device;
import io.github.rdmaboot.verbs.EachCall;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Address handles of a datagram endpoint, one for each path that is in use, up to a
 * bound: beyond it the oldest that no send uses makes room.
 * <p>
 * {@code lock} guards the map and the paths whose handle is being made, so that a path
 * gets one only. No native call is made under it, for the kernel may look for a peer for
 * seconds: only sends to that peer wait. A send to a path whose handle exists does not
 * take the lock.
 */
final class AddressHandles {

	private static final Logger logger = LoggerFactory.getLogger(AddressHandles.class);

	private final Device device;

	private final int max;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition made = this.lock.newCondition();

	private final Map<DatagramPath, AddressHandle> handles = new LinkedHashMap<>();

	private final Set<DatagramPath> making = new HashSet<>();

	private volatile int count;

	private boolean closed;

	AddressHandles(Device device, int max) {
		this.device = device;
		this.max = max;
	}

	// Return the handle of a path, retained for one send.
	AddressHandle retain(DatagramPath path) {
		AddressHandle last = path.lastHandle();
		return (last != null && last.retain()) ? last : find(path);
	}

	private AddressHandle find(DatagramPath path) {
		AddressHandle known = await(path);
		AddressHandle handle = (known != null) ? known : make(path);
		path.remember(handle);
		return handle;
	}

	// Return the handle of a path, or null if the caller has to make it.
	private @Nullable AddressHandle await(DatagramPath path) {
		this.lock.lock();
		try {
			while (!this.closed && this.making.contains(path)) {
				this.made.awaitUninterruptibly();
			}
			if (this.closed) {
				throw new ConnectionClosedException("The datagram endpoint is being destroyed", null);
			}
			AddressHandle handle = this.handles.get(path);
			if (handle != null && handle.retain()) {
				return handle;
			}
			this.making.add(path);
			return null;
		}
		finally {
			this.lock.unlock();
		}
	}

	private AddressHandle make(DatagramPath path) {
		AddressHandle handle = null;
		try {
			makeRoom();
			handle = path.open(this.device);
			handle.retain();
			return handle;
		}
		finally {
			endMaking(path, handle);
		}
	}

	private void endMaking(DatagramPath path, @Nullable AddressHandle handle) {
		this.lock.lock();
		try {
			this.making.remove(path);
			if (handle != null) {
				this.handles.put(path, handle);
				this.count = this.handles.size();
			}
			this.made.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void makeRoom() {
		for (AddressHandle handle : retireOldest()) {
			try {
				handle.destroy();
			}
			catch (RdmaException ex) {
				// It is lost, and the datagram that needs the room has no part in it.
				logger.warn("An address handle could not be destroyed", ex);
			}
		}
	}

	private List<AddressHandle> retireOldest() {
		List<AddressHandle> retired = new ArrayList<>();
		this.lock.lock();
		try {
			Iterator<AddressHandle> oldestFirst = this.handles.values().iterator();
			while (this.handles.size() + this.making.size() > this.max && oldestFirst.hasNext()) {
				AddressHandle handle = oldestFirst.next();
				if (handle.retire()) {
					oldestFirst.remove();
					retired.add(handle);
				}
			}
			this.count = this.handles.size();
		}
		finally {
			this.lock.unlock();
		}
		return retired;
	}

	// Takes no lock: who asks may do so while a call is stuck.
	int count() {
		return this.count;
	}

	// Destroy all handles, and let none be made any more. The queue pair must be gone.
	// Every one is attempted; the first failure is thrown. Waits for handles that are
	// being made.
	void close() {
		List<AddressHandle> left;
		this.lock.lock();
		try {
			this.closed = true;
			this.made.signalAll();
			while (!this.making.isEmpty()) {
				this.made.awaitUninterruptibly();
			}
			left = new ArrayList<>(this.handles.values());
			this.handles.clear();
			this.count = 0;
		}
		finally {
			this.lock.unlock();
		}
		EachCall calls = new EachCall();
		left.forEach((handle) -> calls.run(handle::destroy));
		calls.throwFirst();
	}

}
