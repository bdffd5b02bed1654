package io.github.rdmaboot.provider.jna;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(60)
class WaitingTests {

	private final Waiting waiting = new Waiting();

	private final long waker = this.waiting.create();

	private final long source = this.waiting.create();

	@AfterEach
	void destroy() {
		this.waiting.destroy(this.waker);
		this.waiting.destroy(this.source);
	}

	@Test
	void aReadableFileDescriptorEndsTheWait() {
		this.waiting.wake(this.source);
		assertThat(this.waiting.await(fd(this.source), this.waker, 30_000)).isTrue();
		assertThat(this.waiting.await(fd(this.source), this.waker, 30_000)).isTrue();
	}

	@Test
	void theWakerEndsAWaitInProgress() throws Exception {
		CompletableFuture<Boolean> waiter = CompletableFuture
			.supplyAsync(() -> this.waiting.await(fd(this.source), this.waker, 30_000));
		this.waiting.wake(this.waker);
		assertThat(waiter.get(20, TimeUnit.SECONDS)).isFalse();
	}

	@Test
	void wakeUpsAreConsumedTogether() {
		this.waiting.wake(this.waker);
		this.waiting.wake(this.waker);
		assertThat(this.waiting.await(fd(this.source), this.waker, 30_000)).isFalse();
		long begin = System.nanoTime();
		assertThat(this.waiting.await(fd(this.source), this.waker, 20)).isFalse();
		assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(19));
	}

	@Test
	void aWakeUpBesideAnEventDoesNotHideTheEvent() {
		this.waiting.wake(this.waker);
		this.waiting.wake(this.source);
		assertThat(this.waiting.await(fd(this.source), this.waker, 30_000)).isTrue();
		assertThat(this.waiting.await(fd(this.source), this.waker, 0)).isTrue();
	}

	@Test
	void aClosedFileDescriptorIsReported() {
		assertThatExceptionOfType(RdmaException.class)
			.isThrownBy(() -> this.waiting.await(1_000_000, this.waker, 30_000))
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EBADF.value()));
	}

	@Test
	void wakersAreNonBlockingAndClosedInChildren() {
		assertThat(FileDescriptors.isOpenAndCloseOnExec(fd(this.waker))).isTrue();
		assertThat(FileDescriptors.isOpenAndCloseOnExec(-1)).isFalse();
		assertThat(FileDescriptors.isOpenAndCloseOnExec(1_000_000)).isFalse();
		FileDescriptors.setNonBlocking(fd(this.waker));
	}

	private static int fd(long waker) {
		return (int) waker - 1;
	}

}
