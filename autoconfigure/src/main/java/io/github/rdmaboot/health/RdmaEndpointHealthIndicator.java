package io.github.rdmaboot.health;

import java.net.InetAddress;
import java.util.stream.Collectors;

import io.github.rdmaboot.cm.CmId;
import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.endpoint.ClientStartup;
import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaDatagramEndpoint;
import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.endpoint.StuckCall;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * {@link HealthIndicator} of one endpoint:
 * <ul>
 * <li>{@code UP}: the server listens, the client is connected, the datagram endpoint can
 * send and receive;</li>
 * <li>{@code DOWN}: it failed or lost its connection, or a native call is stuck; the
 * details say why;</li>
 * <li>{@code OUT_OF_SERVICE}: it takes no new connections before a stop, is being
 * destroyed, or the application destroyed it;</li>
 * <li>{@code UNKNOWN}: it was never up and has not failed, as a lazy client before its
 * first use.</li>
 * </ul>
 * Reads memory only, so that a stuck native call never delays it.
 */
public class RdmaEndpointHealthIndicator extends AbstractHealthIndicator {

	private final RdmaEndpoints endpoints;

	private final RdmaEndpoint endpoint;

	/**
	 * Create the indicator.
	 * @param endpoints the registry of the endpoint
	 * @param endpoint the endpoint
	 */
	public RdmaEndpointHealthIndicator(RdmaEndpoints endpoints, RdmaEndpoint endpoint) {
		this.endpoints = endpoints;
		this.endpoint = endpoint;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		EndpointState state = this.endpoint.state();
		CmId id = this.endpoint.cmId();
		RuntimeException error = this.endpoint.lastError();
		DestroyReport destroyed = this.endpoint.lastDestroyReport();
		boolean failed = error != null;
		builder.status(status(state, failed, destroyed));
		builder.withDetail("state", state.name()).withDetail("address", this.endpoint.address());
		String provider = this.endpoints.providerName();
		if (provider != null) {
			builder.withDetail("provider", provider);
		}
		if (this.endpoint instanceof RdmaDatagramEndpoint datagrams) {
			builder.withDetail("groups",
					datagrams.groups().keySet().stream().map(InetAddress::getHostAddress).toList());
		}
		else {
			builder.withDetail("connections", this.endpoint.connections().size());
		}
		builder.withDetail("generation", id.generation()).withDetail("cmIdState", id.state().name());
		String reason = reason(state, failed, destroyed);
		if (reason != null) {
			builder.withDetail("reason", reason);
		}
		if (error != null) {
			builder.withDetail("error", String.valueOf(error.getMessage()));
		}
		if (destroyed != null) {
			builder.withDetail("lastDestroy", destroyed.toLine());
		}
	}

	private static Status status(EndpointState state, boolean failed, @Nullable DestroyReport destroyed) {
		return switch (state) {
			case UP -> Status.UP;
			case DOWN, QUARANTINED -> Status.DOWN;
			case QUIESCED, DESTROYING -> Status.OUT_OF_SERVICE;
			case STARTING -> failed ? Status.DOWN : Status.UNKNOWN;
			case IDLE -> {
				if (failed) {
					yield Status.DOWN;
				}
				yield isDestroyedByHand(destroyed) ? Status.OUT_OF_SERVICE : Status.UNKNOWN;
			}
		};
	}

	private @Nullable String reason(EndpointState state, boolean failed, @Nullable DestroyReport destroyed) {
		return switch (state) {
			case UP -> null;
			case DOWN -> downReason(destroyed);
			case QUARANTINED -> "Native calls of a destroy are stuck: "
					+ this.endpoint.stuckCalls().stream().map(StuckCall::toString).collect(Collectors.joining(", "));
			case QUIESCED -> "It rejects new connections, for the application stops";
			case DESTROYING -> "A destroy is under way";
			case STARTING -> failed ? startingReason(destroyed) : null;
			case IDLE -> idleReason(failed, destroyed);
		};
	}

	private String startingReason(@Nullable DestroyReport destroyed) {
		if (this.endpoint instanceof RdmaClient) {
			return "The connection was lost or could not be made, and is being made anew";
		}
		return isDestroyedByRemoval(destroyed) ? "Its device was removed, and it tries to come up again"
				: "It failed before, and is being started anew";
	}

	private String downReason(@Nullable DestroyReport destroyed) {
		if (this.endpoint instanceof RdmaClient) {
			return "The connection was lost or could not be made";
		}
		if (this.endpoint instanceof RdmaServer) {
			return "Its device was removed; it listens again when that is back";
		}
		// One that has come up again since then has an id.
		CmIdState id = this.endpoint.cmId().state();
		boolean removed = id == CmIdState.DEVICE_REMOVED || (id == CmIdState.NONE && isDestroyedByRemoval(destroyed));
		return removed ? "Its device was removed; it comes up again when that is back" : "Its queue pair failed";
	}

	private @Nullable String idleReason(boolean failed, @Nullable DestroyReport destroyed) {
		if (isDestroyedByRemoval(destroyed)) {
			return "Its device was removed";
		}
		if (failed) {
			return "It could not be started";
		}
		if (isDestroyedByHand(destroyed)) {
			return "The application destroyed it";
		}
		boolean lazy = this.endpoint instanceof RdmaClient client && client.settings().startup() == ClientStartup.LAZY;
		return (lazy && this.endpoints.isRunning()) ? "It connects when its connection is first asked for"
				: "It is not started";
	}

	private static boolean isDestroyedByRemoval(@Nullable DestroyReport destroyed) {
		return destroyed != null && destroyed.trigger() == DestroyTrigger.DEVICE_REMOVAL;
	}

	private static boolean isDestroyedByHand(@Nullable DestroyReport destroyed) {
		return destroyed != null && destroyed.connection() == 0 && destroyed.trigger() == DestroyTrigger.MANUAL;
	}

}
