package io.github.rdmaboot.verbs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueTable}.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QueueTableTests {

	private final RdmaProvider provider = new LoopbackRdmaProvider(new LoopbackFabric());

	private final CompletionPoller poller = new BusyPoller(this.provider, Thread::new);

	private final QueueTable table = new QueueTable();

	private CompletionQueue queue(long handle) {
		return new CompletionQueue(this.provider, this.poller, (completion) -> {
		}, (failure) -> {
		}, handle, 1);
	}

	@Test
	void holdsWhatAMapHoldsWhateverIsAddedAndRemoved() {
		Random random = new Random(42);
		Map<Long, CompletionQueue> model = new HashMap<>();
		for (int i = 0; i < 20_000; i++) {
			long handle = 0x7f00_0000_0000L + 64L * random.nextInt(200);
			CompletionQueue queue = model.remove(handle);
			if (queue != null) {
				this.table.remove(queue);
			}
			else {
				queue = queue(handle);
				model.put(handle, queue);
				this.table.add(queue);
			}
			long asked = 0x7f00_0000_0000L + 64L * random.nextInt(200);
			assertThat(this.table.find(asked)).as("after %d changes", i).isSameAs(model.get(asked));
			assertThat(this.table.size()).isEqualTo(model.size());
		}
	}

	@Test
	void removalOfWhatIsNotThereChangesNothing() {
		CompletionQueue queue = queue(64);
		this.table.add(queue);
		this.table.remove(queue(64));
		this.table.remove(queue(128));
		assertThat(this.table.find(64)).isSameAs(queue);
		assertThat(this.table.size()).isOne();
	}

	@Test
	void queueThatStaysIsFoundAtAnyTime() throws Exception {
		List<CompletionQueue> staying = new ArrayList<>();
		for (int i = 1; i <= 50; i++) {
			CompletionQueue queue = queue(64L * 1000 * i);
			staying.add(queue);
			this.table.add(queue);
		}
		AtomicBoolean ended = new AtomicBoolean();
		AtomicInteger missed = new AtomicInteger();
		Thread reader = new Thread(() -> {
			while (!ended.get()) {
				staying.stream()
					.filter((queue) -> this.table.find(queue.handle()) != queue)
					.forEach((queue) -> missed.incrementAndGet());
			}
		}, "reader");
		reader.start();
		long end = System.nanoTime() + Duration.ofMillis(500).toNanos();
		for (long i = 1; System.nanoTime() - end < 0; i++) {
			CompletionQueue passing = queue(64 * (i % 5000) + 8);
			this.table.add(passing);
			if (i % 3 != 0) {
				this.table.remove(passing);
			}
		}
		ended.set(true);
		reader.join();
		assertThat(missed).as("look-ups that missed a queue").hasValue(0);
	}

}
