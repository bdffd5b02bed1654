package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.ConnectionEce;
import io.github.rdmaboot.provider.ConnectionParameters;
import org.jspecify.annotations.Nullable;

/**
 * Two ids that connect and what they told each other. Guarded by the fabric's lock.
 */
final class LoopbackConnection {

	final LoopbackCmId active;

	final ConnectionParameters request;

	final int activeQpNum;

	@Nullable LoopbackCmId passive;

	@Nullable ConnectionParameters reply;

	int passiveQpNum;

	/** What the request carried of enhanced connection establishment. */
	final @Nullable ConnectionEce requestEce;

	/** What the reply carried of it. */
	@Nullable ConnectionEce replyEce;

	LoopbackConnection(LoopbackCmId active, ConnectionParameters request, int activeQpNum) {
		this.active = active;
		this.request = request;
		this.activeQpNum = activeQpNum;
		this.requestEce = active.localEce;
	}

	/**
	 * Return the other end.
	 * @param id one end
	 * @return the other one or {@code null} while there is none
	 */
	@Nullable LoopbackCmId peerOf(LoopbackCmId id) {
		return (id == this.active) ? this.passive : this.active;
	}

}
