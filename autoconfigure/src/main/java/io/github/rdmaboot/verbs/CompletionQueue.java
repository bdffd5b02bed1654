package io.github.rdmaboot.verbs;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.WorkCompletion;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completion queue whose completions are taken by the thread of its policy, or by whoever
 * polls it.
 * <p>
 * One atomic number keeps the threads apart, without a lock: whether a thread is inside a
 * native call on the queue or hands on what it took, whether it has to arm the queue and
 * look again because another one wanted to meanwhile, and whether the queue is closed.
 * The objects that completions are read into belong to the thread that is in.
 * <p>
 * A thread takes about as many at a time as the queue has room for, so all that were
 * there when it came. If there are more then, because others keep the queue full, it
 * leaves them to the thread of the policy, which serves its other queues in between.
 */
public final class CompletionQueue {

	private static final Logger logger = LoggerFactory.getLogger(CompletionQueue.class);

	private static final int BATCH = 16;

	/**
	 * How many a thread may take at a time of a small queue, so that it seldom goes out.
	 */
	private static final int FEWEST_AT_A_TIME = 256;

	private static final int FREE = 0;

	private static final int CALLING = 1;

	private static final int HANDING = 2;

	private static final int ARM = 4;

	private static final int CLOSED = 8;

	private final RdmaProvider provider;

	private final CompletionPoller poller;

	private final CompletionHandler handler;

	private final Consumer<RuntimeException> failureHandler;

	private final WorkCompletion[] completions = new WorkCompletion[BATCH];

	private final long handle;

	private final int mostAtATime;

	private final AtomicInteger turn = new AtomicInteger(FREE);

	/** Threads that went out and are telling the poller that there is more. */
	private final AtomicInteger handingOver = new AtomicInteger();

	/** Events that were fetched only; the destroy would wait for them. */
	private final AtomicInteger unacknowledged = new AtomicInteger();

	/** Whether the poller was told and has not come yet. */
	private final AtomicBoolean left = new AtomicBoolean();

	/** Next one of the list in which the poller finds it. */
	@Nullable CompletionQueue nextLeft;

	/** Whether its poller knows that it is closing; guarded by the table of queues. */
	boolean closing;

	private volatile @Nullable BooleanSupplier expected;

	private volatile boolean broken;

	CompletionQueue(RdmaProvider provider, CompletionPoller poller, CompletionHandler handler,
			Consumer<RuntimeException> failureHandler, long handle, int entries) {
		this.provider = provider;
		this.poller = poller;
		this.handler = handler;
		this.failureHandler = failureHandler;
		this.handle = handle;
		this.mostAtATime = Math.max(entries, FEWEST_AT_A_TIME);
		for (int i = 0; i < BATCH; i++) {
			this.completions[i] = new WorkCompletion();
		}
	}

	/**
	 * Create a completion queue and have its completions taken; stands for
	 * {@code ibv_create_cq} and, unless it is polled, {@code ibv_req_notify_cq}.
	 * @param device the device
	 * @param policy how its completions are taken
	 * @param entries how many completions it holds at least
	 * @param handler takes the completions, on the thread of the policy as a rule
	 * @param failureHandler learns on that thread, once, that no more completions are
	 * taken because a call failed
	 * @return the completion queue
	 * @throws RdmaException on EINVAL, EMFILE, ENOMEM
	 */
	public static CompletionQueue create(Device device, CompletionPolicy policy, int entries, CompletionHandler handler,
			Consumer<RuntimeException> failureHandler) {
		RdmaProvider provider = device.provider();
		CompletionPoller poller = device.poller(policy);
		long handle = provider.ibvCreateCq(device.context(), entries, poller.channel(), 0);
		CompletionQueue queue = new CompletionQueue(provider, poller, handler, failureHandler, handle, entries);
		try {
			poller.attach(queue);
		}
		catch (RuntimeException | Error ex) {
			queue.close();
			throw ex;
		}
		return queue;
	}

	long handle() {
		return this.handle;
	}

	/**
	 * Let events lead to polls only as long as completions are urgent: from the time when
	 * no more work is posted and somebody polls for the rest.
	 * @param expected tells whether urgent completions are expected
	 */
	public void notifyWhile(BooleanSupplier expected) {
		this.expected = expected;
		this.poller.closes(this);
	}

	boolean isMoreExpected() {
		BooleanSupplier expected = this.expected;
		return expected == null || expected.getAsBoolean();
	}

	// Ask for the first event, before the queue is used.
	void arm() {
		this.provider.ibvReqNotifyCq(this.handle, false);
	}

	// Take all completions, unless another thread does so. Return whether there were any.
	boolean take() {
		return !this.broken && enter(FREE) && serve(false);
	}

	// Arm the queue and take all completions. Armed first, so that one which arrives
	// after the last poll raises an event. If another thread is in, it does both.
	boolean armAndTake() {
		return !this.broken && enter(ARM) && serve(true);
	}

	private boolean serve(boolean arm) {
		try {
			return takeAll(arm);
		}
		catch (RuntimeException ex) {
			return failed(ex);
		}
		catch (Error ex) {
			return failed(new IllegalStateException("Completions cannot be taken: " + ex, ex));
		}
	}

	private boolean failed(RuntimeException error) {
		this.broken = true;
		this.failureHandler.accept(error);
		return true;
	}

	/**
	 * Take all completions that are there, unless another thread does so at present;
	 * stands for {@code ibv_poll_cq}. What comes meanwhile may be left to the thread of
	 * the policy.
	 * @return whether this thread took them; {@code false} if another thread is taking or
	 * handing on completions, which may not look again, or if the queue was closed
	 * @throws RdmaException on EIO
	 */
	public boolean poll() {
		if (!enter(FREE)) {
			return false;
		}
		takeAll(false);
		return true;
	}

	/**
	 * Destroy the queue; stands for {@code ibv_destroy_cq}. Waits for a native call on
	 * the queue that is in progress, and for one that wakes its poller, but not for a
	 * handler. Does nothing the second time.
	 * @throws RdmaException on EBUSY while a queue pair uses it
	 */
	public void close() {
		if ((this.turn.getAndUpdate((turn) -> turn | CLOSED) & CLOSED) != 0) {
			return;
		}
		this.poller.detach(this);
		for (long pause = 10_000; isCalling(); pause = Math.min(2 * pause, 1_000_000)) {
			LockSupport.parkNanos(pause);
		}
		int owed = this.unacknowledged.getAndSet(0);
		if (owed > 0) {
			this.provider.ibvAckCqEvents(this.handle, owed);
		}
		this.provider.ibvDestroyCq(this.handle);
	}

	// An event of it could not be acknowledged.
	void owesAcknowledgement() {
		this.unacknowledged.incrementAndGet();
	}

	private boolean isCalling() {
		return (this.turn.get() & CALLING) != 0 || this.handingOver.get() > 0;
	}

	// Be left to the poller; whether it was not already.
	boolean markLeft() {
		return this.left.compareAndSet(false, true);
	}

	// The poller has come.
	void fetched() {
		this.left.set(false);
	}

	private boolean enter(int request) {
		while (true) {
			int before = this.turn.get();
			boolean taken = (before & (CALLING | HANDING)) != 0;
			if ((before & CLOSED) != 0 || (taken && (before | request) == before)) {
				return false;
			}
			if (this.turn.compareAndSet(before, taken ? before | request : CALLING)) {
				return !taken;
			}
		}
	}

	private boolean takeAll(boolean arm) {
		int taken = 0;
		int next = arm ? CALLING | ARM : CALLING;
		while ((next & CALLING) != 0) {
			int count = call((next & ARM) != 0);
			if (count > 0) {
				taken += count;
				this.turn.addAndGet(HANDING - CALLING);
				for (int i = 0; i < count; i++) {
					hand(this.completions[i]);
				}
			}
			// Fewer than asked for means that there are no more.
			next = goOut(count == BATCH, taken >= this.mostAtATime);
		}
		return taken > 0;
	}

	private int call(boolean arm) {
		boolean done = false;
		try {
			if (arm) {
				this.provider.ibvReqNotifyCq(this.handle, false);
			}
			int count = this.provider.ibvPollCq(this.handle, this.completions);
			done = true;
			return count;
		}
		finally {
			if (!done) {
				this.turn.getAndUpdate((turn) -> turn & CLOSED);
			}
		}
	}

	// Go out, or stay in because there may be more and it has not been enough yet.
	// Return what to do next.
	private int goOut(boolean more, boolean enough) {
		while (true) {
			int before = this.turn.get();
			boolean closed = (before & CLOSED) != 0;
			boolean wanted = !closed && (more || (before & ARM) != 0);
			if (wanted && enough) {
				if (handOver(before)) {
					return FREE;
				}
			}
			else if (this.turn.compareAndSet(before, closed ? CLOSED : wanted ? CALLING : FREE)) {
				return wanted ? CALLING | (before & ARM) : FREE;
			}
		}
	}

	// Leave the rest to the poller, which arms the queue too; unless another thread wants
	// something meanwhile. It is told last, for it would not get in before, and so that
	// the queue is not closed before it was told.
	private boolean handOver(int before) {
		this.handingOver.incrementAndGet();
		try {
			if (!this.turn.compareAndSet(before, FREE)) {
				return false;
			}
			this.poller.goOn(this);
			return true;
		}
		finally {
			this.handingOver.decrementAndGet();
		}
	}

	// One that fails must not keep the others, which cannot be polled again, from being
	// told.
	private void hand(WorkCompletion completion) {
		try {
			this.handler.onCompletion(completion);
		}
		catch (RuntimeException | Error ex) {
			logger.error("A work completion of queue pair {} could not be handed on", completion.qpNum, ex);
		}
	}

}
