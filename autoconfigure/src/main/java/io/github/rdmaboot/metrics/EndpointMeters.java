package io.github.rdmaboot.metrics;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.endpoint.EndpointStatistics;
import io.github.rdmaboot.endpoint.OperationKind;
import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.CompletionStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;

/**
 * Meters that read what the endpoints count anyway. None makes a native call.
 */
final class EndpointMeters {

	private final MeterRegistry registry;

	EndpointMeters(MeterRegistry registry) {
		this.registry = registry;
	}

	void register(RdmaEndpoints endpoints) {
		for (CmIdState state : CmIdState.values()) {
			gauge(RdmaMeters.CM_IDS, "CM ids by state", Tags.of(RdmaMeters.STATE, lowerCase(state)), endpoints,
					(all) -> all.idsByState().getOrDefault(state, 0));
		}
		gauge(RdmaMeters.CM_EVENTS_UNACKED, "CM events delivered but not acknowledged", Tags.empty(), endpoints,
				RdmaEndpoints::unacknowledgedEvents);
		byteGauge(RdmaMeters.MEMORY_POOL, "Memory that pools have registered, in use or not", Tags.empty(), endpoints,
				RdmaEndpoints::pooledBytes);
		endpoints.endpoints().forEach(this::register);
	}

	private void register(RdmaEndpoint endpoint) {
		Tags tags = Tags.of(RdmaMeters.ENDPOINT, endpoint.name());
		EndpointStatistics statistics = endpoint.statistics();
		gauge(RdmaMeters.CONNECTIONS, "Established connections", tags, endpoint,
				(source) -> source.connections().size());
		byteGauge(RdmaMeters.MEMORY_REGISTERED, "Registered memory in use", tags, statistics,
				EndpointStatistics::registeredBytes);
		counter(RdmaMeters.RECONNECTS, "Lost connections that were made anew", tags, statistics,
				EndpointStatistics::reconnects);
		counter(RdmaMeters.RECEIVES_RETURNED, "Buffers of a shared receive queue that outlived their connection", tags,
				statistics, EndpointStatistics::receivesReturned);
		Tags sent = tags.and(RdmaMeters.DIRECTION, "sent");
		Tags received = tags.and(RdmaMeters.DIRECTION, "received");
		counter(RdmaMeters.MESSAGES, "Messages", sent, statistics, EndpointStatistics::messagesSent);
		counter(RdmaMeters.MESSAGES, "Messages", received, statistics, EndpointStatistics::messagesReceived);
		byteCounter(RdmaMeters.BYTES, "Bytes of messages", sent, statistics, EndpointStatistics::bytesSent);
		byteCounter(RdmaMeters.BYTES, "Bytes of messages", received, statistics, EndpointStatistics::bytesReceived);
		for (OperationKind kind : OperationKind.values()) {
			Tags ofKind = tags.and(RdmaMeters.KIND, lowerCase(kind));
			counter(RdmaMeters.OPERATIONS, "Operations on memory of peers", ofKind, statistics,
					(source) -> source.operations(kind));
			byteCounter(RdmaMeters.OPERATION_BYTES, "Bytes of operations on memory of peers", ofKind, statistics,
					(source) -> source.operationBytes(kind));
		}
		for (CmEventType event : CmEventType.values()) {
			Tags ofEvent = tags.and(RdmaMeters.EVENT, lowerCase(event));
			counter(RdmaMeters.CM_EVENTS, "CM events", ofEvent.and(RdmaMeters.RESULT, "success"), statistics,
					(source) -> source.events(event, false));
			counter(RdmaMeters.CM_EVENTS, "CM events", ofEvent.and(RdmaMeters.RESULT, "failure"), statistics,
					(source) -> source.events(event, true));
		}
		Arrays.stream(CompletionStatus.values())
			.filter((status) -> status != CompletionStatus.SUCCESS)
			.forEach((status) -> counter(RdmaMeters.COMPLETION_ERRORS, "Work requests that did not succeed",
					tags.and(RdmaMeters.STATUS, lowerCase(status)), statistics,
					(source) -> source.completionErrors(status)));
	}

	private <T> void gauge(String name, String description, Tags tags, T source, ToDoubleFunction<T> value) {
		Gauge.builder(name, source, value)
			.description(description)
			.tags(tags)
			.strongReference(true)
			.register(this.registry);
	}

	private <T> void byteGauge(String name, String description, Tags tags, T source, ToDoubleFunction<T> value) {
		Gauge.builder(name, source, value)
			.description(description)
			.baseUnit(BaseUnits.BYTES)
			.tags(tags)
			.strongReference(true)
			.register(this.registry);
	}

	// A function counter holds its source weakly; the endpoint holds it for its whole
	// life.
	private void counter(String name, String description, Tags tags, EndpointStatistics source,
			ToDoubleFunction<EndpointStatistics> value) {
		FunctionCounter.builder(name, source, value).description(description).tags(tags).register(this.registry);
	}

	private void byteCounter(String name, String description, Tags tags, EndpointStatistics source,
			ToDoubleFunction<EndpointStatistics> value) {
		FunctionCounter.builder(name, source, value)
			.description(description)
			.baseUnit(BaseUnits.BYTES)
			.tags(tags)
			.register(this.registry);
	}

	private static String lowerCase(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
