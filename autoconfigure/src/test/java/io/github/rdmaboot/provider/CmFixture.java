package io.github.rdmaboot.provider;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Event channel of a test with the ids on it; closing it leaves nothing behind, however
 * the test ended.
 */
final class CmFixture implements AutoCloseable {

	private static final int PATIENCE_MILLIS = 20_000;

	private final RdmaProvider provider;

	private final int silenceMillis;

	private final long channel;

	private final long waker;

	private final List<Long> ids = new ArrayList<>();

	private final Map<Long, Long> unacknowledged = new LinkedHashMap<>();

	CmFixture(RdmaProvider provider, int silenceMillis) {
		this.provider = provider;
		this.silenceMillis = silenceMillis;
		this.channel = provider.rdmaCreateEventChannel();
		this.waker = provider.createWaker();
	}

	long channel() {
		return this.channel;
	}

	long newId(PortSpace portSpace) {
		long id = this.provider.rdmaCreateId(this.channel, portSpace);
		this.ids.add(id);
		return id;
	}

	/**
	 * Fetch the next event, which the test acknowledges.
	 * @return the event
	 */
	CmEventData fetch() {
		CmEventData event = poll(PATIENCE_MILLIS);
		assertThat(event).as("an event came").isNotNull();
		return event;
	}

	/**
	 * Fetch the next event if there is one, which the test acknowledges.
	 * @param timeoutMillis how long to wait for it
	 * @return the event or {@code null}
	 */
	@Nullable CmEventData poll(int timeoutMillis) {
		long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
		CmEventData event;
		do {
			// The library may swallow an event that the channel has.
			long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
			this.provider.awaitCmEvent(this.channel, this.waker, (int) Math.max(left, 0));
			event = this.provider.rdmaGetCmEvent(this.channel);
		}
		while (event == null && System.nanoTime() < deadline);
		if (event != null) {
			this.unacknowledged.put(event.event(), event.event());
			if (event.type() == CmEventType.CONNECT_REQUEST.value()) {
				this.ids.add(event.id());
			}
		}
		return event;
	}

	void acknowledge(CmEventData event) {
		this.unacknowledged.remove(event.event());
		this.provider.rdmaAckCmEvent(event.event());
	}

	/**
	 * Fetch and acknowledge the next event.
	 * @param type the type that it must have
	 * @return the event
	 */
	CmEventData expect(CmEventType type) {
		CmEventData event = fetch();
		acknowledge(event);
		assertThat(CmEventType.of(event.type())).as("event with status %d", event.status()).isEqualTo(type);
		return event;
	}

	/**
	 * Fetch and acknowledge the next event.
	 * @return its type
	 */
	@Nullable CmEventType fetchAndAcknowledge() {
		CmEventData event = fetch();
		acknowledge(event);
		return CmEventType.of(event.type());
	}

	void expectSilence() {
		assertThat(this.provider.awaitCmEvent(this.channel, this.waker, this.silenceMillis)).as("an event came")
			.isFalse();
	}

	/**
	 * Wait as long as for something that must not happen, whatever happens on the
	 * channel.
	 */
	void letTimePass() {
		long quiet = this.provider.rdmaCreateEventChannel();
		this.provider.awaitCmEvent(quiet, this.waker, this.silenceMillis);
		this.provider.rdmaDestroyEventChannel(quiet);
	}

	void destroy(long id) {
		this.ids.remove(id);
		this.provider.rdmaDestroyId(id);
	}

	/**
	 * Destroy the ids that only their channel holds, so that their peers hear of it.
	 * @param others the ids that something else uses
	 */
	void destroyAllBut(Set<Long> others) {
		this.unacknowledged.keySet().forEach(this.provider::rdmaAckCmEvent);
		this.unacknowledged.clear();
		List.copyOf(this.ids).stream().filter((id) -> !others.contains(id)).forEach(this::destroy);
	}

	/**
	 * Leave an id out of what {@link #close} destroys.
	 * @param id the id
	 */
	void forget(long id) {
		this.ids.remove(id);
	}

	/**
	 * Leave an id that was migrated to the fixture of its new channel.
	 * @param id the id
	 * @param target the fixture of its new channel
	 */
	void handOver(long id, CmFixture target) {
		this.ids.remove(id);
		target.ids.add(id);
	}

	@Override
	public void close() {
		this.unacknowledged.keySet().forEach(this.provider::rdmaAckCmEvent);
		for (int i = this.ids.size() - 1; i >= 0; i--) {
			this.provider.rdmaDestroyId(this.ids.get(i));
		}
		this.provider.rdmaDestroyEventChannel(this.channel);
		this.provider.destroyWaker(this.waker);
	}

}
