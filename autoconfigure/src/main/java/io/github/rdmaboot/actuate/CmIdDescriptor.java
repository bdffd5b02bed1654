package io.github.rdmaboot.actuate;

import java.net.InetSocketAddress;
import java.time.Duration;

import io.github.rdmaboot.cm.Addresses;
import io.github.rdmaboot.cm.CmId;
import org.jspecify.annotations.Nullable;

/**
 * Description of a CM id.
 *
 * @param name its name
 * @param state its state
 * @param localAddress its local address, or {@code null} before it has one
 * @param peerAddress the peer's address, or {@code null} before it has one
 * @param device the device it is bound to, or {@code null} before it is
 * @param qpNum the number of its queue pair, or 0 without one
 * @param generation how often it was created
 * @param deliveredEvents how many events of this generation were delivered
 * @param acknowledgedEvents how many of them were acknowledged
 * @param age how long this generation exists, or {@code null} while nothing native does
 * @param lastError its last error, or {@code null}
 */
public record CmIdDescriptor(String name, String state, @Nullable String localAddress, @Nullable String peerAddress,
		@Nullable String device, int qpNum, long generation, long deliveredEvents, long acknowledgedEvents,
		@Nullable Duration age, @Nullable String lastError) {

	static CmIdDescriptor of(CmId id) {
		RuntimeException error = id.lastError();
		return new CmIdDescriptor(id.name(), id.state().name(), text(id.localAddress()), text(id.peerAddress()),
				id.deviceName(), id.qpNum(), id.generation(), id.deliveredEvents(), id.acknowledgedEvents(), id.age(),
				(error != null) ? String.valueOf(error.getMessage()) : null);
	}

	private static @Nullable String text(@Nullable InetSocketAddress address) {
		return (address != null) ? Addresses.format(address) : null;
	}

}
