package io.github.rdmaboot.endpoint;

import java.net.InetSocketAddress;

import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

/**
 * Makes room for many queues on soft-iWARP. Its driver numbers the pages of the queues
 * that a process has mapped, and its library takes the number of page 144 for a sign that
 * there is none: it refuses to make the queue that begins there and each further one,
 * without an errno. This holds a large queue of which that page is in the midst.
 */
final class SoftIwarpMappings implements AutoCloseable {

	/** Each takes 32 bytes: 256 pages. */
	private static final int COMPLETIONS = 32_768;

	private final RdmaProvider provider = JnaRdmaProvider.open();

	private final long channel = this.provider.rdmaCreateEventChannel();

	private final long id = this.provider.rdmaCreateId(this.channel, PortSpace.TCP);

	private final long queue;

	SoftIwarpMappings(String address) {
		this.provider.rdmaBindAddr(this.id, new InetSocketAddress(address, 0));
		this.queue = this.provider.ibvCreateCq(this.provider.contextOf(this.id), COMPLETIONS, 0, 0);
	}

	@Override
	public void close() {
		this.provider.ibvDestroyCq(this.queue);
		this.provider.rdmaDestroyId(this.id);
		this.provider.rdmaDestroyEventChannel(this.channel);
		this.provider.close();
	}

}
