package io.github.rdmaboot.endpoint;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.verbs.AddressHandle;
import io.github.rdmaboot.verbs.Device;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Address handles of a datagram endpoint, one for each path that is in use, up to a
 * bound: beyond it the oldest that no send uses makes room.
 * <p>
 * {@code lock} guards the map, also while a handle is made, so that a path gets one only;
 * a send to a path whose handle exists does not take it.
 */
final class AddressHandles {

	private static final Logger logger = LoggerFactory.getLogger(AddressHandles.class);

	private final Device device;

	private final int max;

	private final ReentrantLock lock = new ReentrantLock();

	private final Map<DatagramPath, AddressHandle> handles = new LinkedHashMap<>();

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
		this.lock.lock();
		try {
			if (this.closed) {
				throw new ConnectionClosedException("The datagram endpoint is being destroyed", null);
			}
			AddressHandle handle = this.handles.get(path);
			if (handle == null || !handle.retain()) {
				makeRoom();
				handle = path.open(this.device);
				handle.retain();
				this.handles.put(path, handle);
			}
			path.remember(handle);
			return handle;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void makeRoom() {
		Iterator<AddressHandle> oldestFirst = this.handles.values().iterator();
		while (this.handles.size() >= this.max && oldestFirst.hasNext()) {
			AddressHandle handle = oldestFirst.next();
			try {
				if (handle.destroyIfUnused()) {
					oldestFirst.remove();
				}
			}
			catch (RdmaException ex) {
				// It is lost, and the datagram that needs the room has no part in it.
				oldestFirst.remove();
				logger.warn("An address handle could not be destroyed", ex);
			}
		}
	}

	int count() {
		this.lock.lock();
		try {
			return this.handles.size();
		}
		finally {
			this.lock.unlock();
		}
	}

	// Destroy all handles, and let none be made any more. The queue pair must be gone.
	// Every one is attempted; the first failure is thrown.
	void close() {
		List<AddressHandle> left;
		this.lock.lock();
		try {
			this.closed = true;
			left = new ArrayList<>(this.handles.values());
			this.handles.clear();
		}
		finally {
			this.lock.unlock();
		}
		RdmaException failure = null;
		for (AddressHandle handle : left) {
			try {
				handle.destroy();
			}
			catch (RdmaException ex) {
				if (failure == null) {
					failure = ex;
				}
				else {
					failure.addSuppressed(ex);
				}
			}
		}
		if (failure != null) {
			throw failure;
		}
	}

}
