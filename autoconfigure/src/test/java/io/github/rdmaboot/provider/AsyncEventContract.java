package io.github.rdmaboot.provider;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Asynchronous events of completion queues and queue pairs, and how much those take
 * before there is one.
 */
abstract class AsyncEventContract extends RdmaProviderContract {

	private static final int CQ_ERR = 0;

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final QueuePairCapabilities CAPABILITIES = new QueuePairCapabilities(4, 64, 1, 1, 0);

	AsyncEventContract(ContractTransport transport) {
		super(transport);
	}

	/**
	 * Flush receives into a completion queue.
	 * @param endpoint an endpoint whose id and queue pair are not used
	 * @param cq the completion queue
	 * @param receives how many
	 */
	private void flush(Endpoint endpoint, long cq, int receives) {
		long id = resolved(address(4000));
		CreatedQueuePair qp = this.provider.rdmaCreateQp(id, endpoint.pd,
				new QueuePairInit(cq, cq, 0, CAPABILITIES, QueuePairType.RC, false));
		for (int i = 0; i < receives; i++) {
			assertThat(this.provider.ibvPostRecv(qp.qp(), endpoint.receive(i, 10))).isZero();
		}
		this.provider.ibvModifyQp(qp.qp(), QueuePairAttributes.ofState(QueuePairState.ERR));
		this.provider.rdmaDestroyQp(id);
	}

	private AsyncEventData expectEvent(Endpoint endpoint, long element) {
		long context = this.provider.contextOf(endpoint.id);
		return await().atMost(PATIENCE).until(() -> next(context, element), Objects::nonNull);
	}

	private AsyncEventData next(long context, long element) {
		AsyncEventData event = this.provider.ibvGetAsyncEvent(context);
		// The kernel tells of ports and their addresses at any time.
		while (event != null && event.element() != element) {
			this.provider.ibvAckAsyncEvent(event.event());
			event = this.provider.ibvGetAsyncEvent(context);
		}
		return event;
	}

	private void assertEvents(Endpoint endpoint, long element, List<Integer> types) {
		List<Integer> came = new ArrayList<>();
		for (int i = 0; i < types.size(); i++) {
			AsyncEventData event = expectEvent(endpoint, element);
			this.provider.ibvAckAsyncEvent(event.event());
			came.add(event.type());
		}
		this.client.letTimePass();
		assertThat(came).isEqualTo(types);
		assertThat(next(this.provider.contextOf(endpoint.id), element)).isNull();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, 4, 8, 16 })
	void completionThatFindsItsQueueFullIsReportedAndLost(int entries) {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		long cq = this.provider.ibvCreateCq(this.provider.contextOf(endpoint.id), entries, 0, 0);
		int room = rules().roomForCompletions(entries);
		flush(endpoint, cq, room);
		assertThat(next(this.provider.contextOf(endpoint.id), cq)).isNull();
		flush(endpoint, cq, 1);
		AsyncEventData event = expectEvent(endpoint, cq);
		assertThat(event.type()).isEqualTo(CQ_ERR);
		this.provider.ibvAckAsyncEvent(event.event());
		WorkCompletion[] completions = new WorkCompletion[64];
		for (int i = 0; i < completions.length; i++) {
			completions[i] = new WorkCompletion();
		}
		assertThat(this.provider.ibvPollCq(cq, completions)).isEqualTo(room);
		this.provider.ibvDestroyCq(cq);
	}

	@Test
	void unacknowledgedAsynchronousEventBlocksTheDestroyOfItsQueue() throws Exception {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		long cq = this.provider.ibvCreateCq(this.provider.contextOf(endpoint.id), 1, 0, 0);
		flush(endpoint, cq, rules().roomForCompletions(1) + 1);
		AsyncEventData event = expectEvent(endpoint, cq);
		BlockedCall destroy = BlockedCall.start(() -> this.provider.ibvDestroyCq(cq));
		destroy.isBlocked();
		this.provider.ibvAckAsyncEvent(event.event());
		destroy.returns();
	}

	@Test
	void asynchronousEventThatWasNotFetchedGoesWithItsQueue() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		long context = this.provider.contextOf(endpoint.id);
		long cq = this.provider.ibvCreateCq(context, 1, 0, 0);
		flush(endpoint, cq, rules().roomForCompletions(1) + 1);
		this.client.letTimePass();
		this.provider.ibvDestroyCq(cq);
		assertThat(next(context, cq)).isNull();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, 4, 15, 16 })
	void queuePairTakesAsManyReceivesAsItsDriverRoundsUpTo(int asked) {
		long id = resolved(address(4000));
		Endpoint endpoint = endpoint(new Endpoint(this.provider, id, QueuePairType.RC,
				new QueuePairCapabilities(1, asked, 1, 1, 0), 1, false));
		int posted = 0;
		while (posted < 100 && endpoint.postReceive(posted, 10) == 0) {
			posted++;
		}
		assertThat(posted).isEqualTo(rules().roomForReceives(asked));
	}

	@Test
	void drainedSendQueueIsReported() {
		Connected connected = connect();
		this.provider.ibvModifyQp(connected.active().qp(), QueuePairAttributes.ofState(QueuePairState.SQD));
		assertEvents(connected.active(), connected.active().qp(), rules().eventsOfDraining());
	}

	@Test
	void refusedAccessIsNoEventOfItsTarget() {
		Connected connected = connect();
		SendWorkRequest write = connected.active().request(WorkRequestOpcode.RDMA_WRITE, 1, 8);
		write.remoteAddress = connected.passive().memory.address();
		write.rkey = connected.passive().memory.rkey() ^ 1;
		assertThat(connected.active().post(write)).isZero();
		expectFailure(connected, CompletionStatus.REM_ACCESS_ERR, 1);
		assertEvents(connected.passive(), connected.passive().qp(), List.of());
	}

	@Test
	void queuePairThatTakesNoMoreSharedReceivesDoesNotSaySo() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		long srq = this.provider.rdmaCreateSrq(endpoint.id, endpoint.pd, 4, 1);
		long id = resolved(address(4000));
		CreatedQueuePair qp = this.provider.rdmaCreateQp(id, endpoint.pd, new QueuePairInit(endpoint.cq, endpoint.cq,
				srq, new QueuePairCapabilities(2, 0, 1, 0, 0), QueuePairType.RC, false));
		this.provider.ibvModifyQp(qp.qp(), QueuePairAttributes.ofState(QueuePairState.ERR));
		assertEvents(endpoint, qp.qp(), List.of());
		this.provider.rdmaDestroyQp(id);
		this.provider.rdmaDestroySrq(endpoint.id);
	}

}
