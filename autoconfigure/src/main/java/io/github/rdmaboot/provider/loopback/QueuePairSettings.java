package io.github.rdmaboot.provider.loopback;

import java.net.InetAddress;

import io.github.rdmaboot.provider.AddressHandleAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of a queue pair that change. Guarded by the fabric's lock.
 */
final class QueuePairSettings {

	int accessFlags;

	int destination;

	int maxRdAtomic;

	int maxDestRdAtomic;

	int retryCount;

	int rnrRetry;

	int minRnrTimer;

	int timeout;

	int qkey;

	int pathMtu;

	int portNum = 1;

	int pkeyIndex;

	int sendPsn;

	int receivePsn;

	@Nullable AddressHandleAttributes address;

	/** Address from which it sends, for the faults of the network. */
	@Nullable InetAddress local;

	/** Address to which it sends, for the faults of the network. */
	@Nullable InetAddress peer;

}
