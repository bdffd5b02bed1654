package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Where datagrams of an endpoint go to: the queue pair of a peer, or a multicast group.
 * Obtained by {@link RdmaDatagramEndpoint#resolve}, {@link RdmaDatagramEndpoint#join} or
 * from a received datagram, and good for sending by that endpoint as long as the peer
 * exists. A value without a life of its own: nothing is freed when it is dropped, and
 * that it is equal to another means that both reach the same queue pair. May be used by
 * any thread.
 */
public final class DatagramPeer {

	private final RdmaDatagramEndpoint owner;

	private final DatagramPath path;

	private final int qpNum;

	private final int qkey;

	private final @Nullable InetAddress address;

	DatagramPeer(RdmaDatagramEndpoint owner, DatagramPath path, int qpNum, int qkey, @Nullable InetAddress address) {
		this.owner = owner;
		this.path = path;
		this.qpNum = qpNum;
		this.qkey = qkey;
		this.address = address;
	}

	/**
	 * Return the address of the peer's device or of the group: its IP address on
	 * Ethernet, its GID on InfiniBand.
	 * @return the address, or {@code null} for the sender of a datagram that came without
	 * a routing header, as it may inside an InfiniBand subnet
	 */
	public @Nullable InetAddress address() {
		return this.address;
	}

	/**
	 * Return the number of the peer's queue pair.
	 * @return the number, 0xffffff for a multicast group
	 */
	public int qpNum() {
		return this.qpNum;
	}

	RdmaDatagramEndpoint owner() {
		return this.owner;
	}

	DatagramPath path() {
		return this.path;
	}

	int qkey() {
		return this.qkey;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof DatagramPeer peer && this.owner == peer.owner && this.qpNum == peer.qpNum
				&& this.qkey == peer.qkey && this.path.equals(peer.path);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.path, this.qpNum);
	}

	@Override
	public String toString() {
		InetAddress address = this.address;
		return ((address != null) ? address.getHostAddress() : "unknown address") + " queue pair " + this.qpNum;
	}

}
