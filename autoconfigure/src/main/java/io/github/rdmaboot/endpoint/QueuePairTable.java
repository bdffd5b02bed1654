package io.github.rdmaboot.endpoint;

import java.util.Arrays;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Connections by the number of their queue pair, found without a lock and without an
 * object for the number. The monitor of this object guards changes, each of which makes
 * new arrays in the order of the numbers.
 */
final class QueuePairTable {

	private volatile Entries entries = new Entries(new int[0], new ConnectionCompletions[0]);

	@Nullable ConnectionCompletions find(int qpNum) {
		Entries entries = this.entries;
		int index = Arrays.binarySearch(entries.qpNums, qpNum);
		return (index >= 0) ? entries.connections[index] : null;
	}

	// Add a connection; false if there is one with the number.
	synchronized boolean add(int qpNum, ConnectionCompletions connection) {
		Entries before = this.entries;
		int index = -Arrays.binarySearch(before.qpNums, qpNum) - 1;
		if (index < 0) {
			return false;
		}
		int count = before.qpNums.length;
		int[] qpNums = Arrays.copyOf(before.qpNums, count + 1);
		ConnectionCompletions[] connections = Arrays.copyOf(before.connections, count + 1);
		System.arraycopy(before.qpNums, index, qpNums, index + 1, count - index);
		System.arraycopy(before.connections, index, connections, index + 1, count - index);
		qpNums[index] = qpNum;
		connections[index] = connection;
		this.entries = new Entries(qpNums, connections);
		return true;
	}

	// Remove a connection, unless another one has the number now.
	synchronized void remove(int qpNum, ConnectionCompletions connection) {
		if (find(qpNum) == connection) {
			removeAny(qpNum);
		}
	}

	// Remove whichever connection has the number.
	synchronized void removeAny(int qpNum) {
		Entries before = this.entries;
		int index = Arrays.binarySearch(before.qpNums, qpNum);
		if (index < 0) {
			return;
		}
		int count = before.qpNums.length - 1;
		int[] qpNums = Arrays.copyOf(before.qpNums, count);
		ConnectionCompletions[] connections = Arrays.copyOf(before.connections, count);
		System.arraycopy(before.qpNums, index + 1, qpNums, index, count - index);
		System.arraycopy(before.connections, index + 1, connections, index, count - index);
		this.entries = new Entries(qpNums, connections);
	}

	void forEach(Consumer<ConnectionCompletions> action) {
		for (ConnectionCompletions connection : this.entries.connections) {
			action.accept(connection);
		}
	}

	/**
	 * Arrays that are not changed any more.
	 */
	private static final class Entries {

		private final int[] qpNums;

		private final ConnectionCompletions[] connections;

		private Entries(int[] qpNums, ConnectionCompletions[] connections) {
			this.qpNums = qpNums;
			this.connections = connections;
		}

	}

}
