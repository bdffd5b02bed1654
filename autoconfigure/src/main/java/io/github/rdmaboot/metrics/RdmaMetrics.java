package io.github.rdmaboot.metrics;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.github.rdmaboot.endpoint.ConnectListener;
import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.endpoint.RdmaEndpointException;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.StepReport;
import io.github.rdmaboot.verbs.EachCall;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

/**
 * Meters of all endpoints. Those with the tag {@code endpoint} are per endpoint; tags
 * hold configured names and symbols only, never anything of a peer:
 * <ul>
 * <li>{@code rdma.endpoint.destroy} timer: endpoint, trigger, result, error</li>
 * <li>{@code rdma.endpoint.destroy.step} timer: endpoint, step, result</li>
 * <li>{@code rdma.endpoint.destroy.failures} counter: endpoint, step, error</li>
 * <li>{@code rdma.endpoint.destroy.active} long task timer: endpoint</li>
 * <li>{@code rdma.endpoint.connect} timer: endpoint, result, error</li>
 * <li>{@code rdma.cm.events} counter: endpoint, event, result</li>
 * <li>{@code rdma.connections} gauge: endpoint</li>
 * <li>{@code rdma.messages} counter: endpoint, direction</li>
 * <li>{@code rdma.bytes} counter in bytes: endpoint, direction</li>
 * <li>{@code rdma.operations} counter: endpoint, kind</li>
 * <li>{@code rdma.operation.bytes} counter in bytes: endpoint, kind</li>
 * <li>{@code rdma.receives.returned} counter: endpoint</li>
 * <li>{@code rdma.completion.errors} counter: endpoint, status</li>
 * <li>{@code rdma.memory.registered} gauge in bytes: endpoint</li>
 * <li>{@code rdma.memory.pool} gauge in bytes</li>
 * <li>{@code rdma.reconnects} counter: endpoint</li>
 * <li>{@code rdma.cm.ids} gauge: state</li>
 * <li>{@code rdma.cm.events.unacked} gauge</li>
 * </ul>
 * Spring Boot closes registries before endpoints are destroyed at shutdown, unless it is
 * kept from doing so for one that pushes, and a closed registry counts what exists in it
 * but takes nothing new. So everything that a shutdown records is registered up front.
 * May be bound to several registries.
 */
public class RdmaMetrics implements MeterBinder, DestroyListener, ConnectListener {

	private final RdmaEndpoints endpoints;

	private final List<BoundMeters> bound = new CopyOnWriteArrayList<>();

	/**
	 * Create the meters, to be added to the endpoints as a listener.
	 * @param endpoints the endpoints, complete by the time that the meters are bound
	 */
	public RdmaMetrics(RdmaEndpoints endpoints) {
		this.endpoints = endpoints;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		new EndpointMeters(registry).register(this.endpoints);
		BoundMeters meters = new BoundMeters(new DestroyMeters(registry), new ActiveDestroys(registry),
				new ConnectMeters(registry));
		this.endpoints.endpoints().forEach(meters::register);
		this.bound.add(meters);
	}

	@Override
	public void stopStarted(DestroyTrigger trigger) {
		tell((meters) -> meters.active().stopStarted());
	}

	@Override
	public void stopEnded(DestroyTrigger trigger, Duration took) {
		tell((meters) -> meters.active().stopEnded());
	}

	@Override
	public void destroyStarted(String endpoint, long connection, DestroyTrigger trigger) {
		tell((meters) -> meters.active().started(endpoint, connection));
	}

	@Override
	public void destroyEnded(DestroyReport report) {
		tell((meters) -> {
			meters.active().ended(report);
			meters.destroy().record(report);
		});
	}

	@Override
	public void returnedLate(String endpoint, long connection, StepReport step, Duration stuckFor) {
		tell((meters) -> {
			meters.active().returnedLate(endpoint, connection);
			meters.destroy().recordLate(endpoint, step);
		});
	}

	@Override
	public void lateStepEnded(String endpoint, long connection, StepReport step) {
		tell((meters) -> meters.destroy().recordLate(endpoint, step));
	}

	@Override
	public void connectEnded(String endpoint, Duration took, @Nullable RdmaEndpointException error) {
		tell((meters) -> meters.connect().record(endpoint, took, error));
	}

	// A registry that throws keeps no other from being told.
	private void tell(Consumer<BoundMeters> message) {
		EachCall calls = new EachCall();
		this.bound.forEach((meters) -> calls.run(() -> message.accept(meters)));
		calls.throwFirst();
	}

	private record BoundMeters(DestroyMeters destroy, ActiveDestroys active, ConnectMeters connect) {

		void register(RdmaEndpoint endpoint) {
			this.destroy.register(endpoint);
			this.active.register(endpoint.name());
			this.connect.register(endpoint.name());
		}

	}

}
