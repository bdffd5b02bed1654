package io.github.rdmaboot.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link CompletionThread}.
 */
class CompletionThreadTests {

	private static List<String> onCompletionThread(Runnable work, List<String> log) throws Exception {
		return onCompletionThread(work, log, null);
	}

	private static List<String> onCompletionThread(Runnable work, List<String> log, @Nullable Integer cpu)
			throws Exception {
		CompletableFuture<List<String>> done = new CompletableFuture<>();
		CompletionThread.factory(new LoopbackRdmaProvider(new LoopbackFabric()), "completions", cpu).newThread(() -> {
			work.run();
			done.complete(log);
		}).start();
		return done.get(10, TimeUnit.SECONDS);
	}

	@Test
	void taskOfAnotherThreadIsLeftToIt() {
		List<String> log = new ArrayList<>();
		assertThat(CompletionThread.tryRun(() -> log.add("ran"))).isFalse();
		assertThat(log).isEmpty();
	}

	@Test
	void taskRunsBeforeTheMethodReturns() throws Exception {
		List<String> log = new ArrayList<>();
		assertThat(onCompletionThread(() -> {
			CompletionThread.tryRun(() -> log.add(Thread.currentThread().getName()));
			log.add("returned");
		}, log)).containsExactly("completions", "returned");
	}

	@Test
	void taskOfATaskFollowsIt() throws Exception {
		List<String> log = new ArrayList<>();
		assertThat(onCompletionThread(() -> {
			CompletionThread.tryRun(() -> {
				CompletionThread.tryRun(() -> log.add("inner"));
				log.add("outer");
			});
			log.add("returned");
		}, log)).containsExactly("outer", "inner", "returned");
	}

	@Test
	void taskThatThrowsStopsNoOther() throws Exception {
		List<String> log = new ArrayList<>();
		assertThat(onCompletionThread(() -> {
			CompletionThread.tryRun(() -> {
				CompletionThread.tryRun(() -> log.add("inner"));
				throw new IllegalStateException("expected by the test");
			});
			CompletionThread.tryRun(() -> log.add("next"));
		}, log)).containsExactly("inner", "next");
	}

	@Test
	void taskThatMayStartThreadsRunsOnACompanionOfAThreadThatIsPinned() throws Exception {
		BlockingQueue<String> names = new LinkedBlockingQueue<>();
		onCompletionThread(() -> CompletionThread.runUnpinned(() -> names.add(Thread.currentThread().getName())),
				new ArrayList<>(), 3);
		assertThat(names.poll(10, TimeUnit.SECONDS)).isEqualTo("completions-unpinned");
		await().until(() -> Thread.getAllStackTraces()
			.keySet()
			.stream()
			.noneMatch((thread) -> thread.getName().equals("completions-unpinned")));
	}

	@Test
	void taskThatMayStartThreadsRunsAtOnceOnAnyOtherThread() throws Exception {
		List<String> log = new ArrayList<>();
		CompletionThread.runUnpinned(() -> log.add("application"));
		assertThat(onCompletionThread(
				() -> CompletionThread.runUnpinned(() -> log.add(Thread.currentThread().getName())), log))
			.containsExactly("application", "completions");
	}

}
