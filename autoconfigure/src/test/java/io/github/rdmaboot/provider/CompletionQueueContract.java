package io.github.rdmaboot.provider;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Completion queues: polling, notification and the events of completion channels.
 */
abstract class CompletionQueueContract extends RdmaProviderContract {

	private static final int PATIENCE_MILLIS = 5000;

	private Connected connected;

	private Endpoint passive;

	CompletionQueueContract(ContractTransport transport) {
		super(transport);
	}

	@BeforeEach
	void connectEndpoints() {
		this.connected = connect();
		this.passive = this.connected.passive();
	}

	private void message(int number) {
		this.passive.postReceive(number, 10);
		this.connected.active().send(number, "m" + number);
		this.connected.active().expect(CompletionStatus.SUCCESS, number);
	}

	private boolean eventCame(int timeoutMillis) {
		return this.provider.awaitCqEvent(this.passive.completionChannel, this.passive.waker, timeoutMillis);
	}

	private void takeEvent() {
		assertThat(eventCame(PATIENCE_MILLIS)).isTrue();
		assertThat(this.provider.ibvGetCqEvent(this.passive.completionChannel)).isEqualTo(this.passive.cq);
		this.provider.ibvAckCqEvents(this.passive.cq, 1);
	}

	@Test
	void armedQueueGivesOneEventForOneCompletion() {
		this.provider.ibvReqNotifyCq(this.passive.cq, false);
		message(1);
		takeEvent();
		assertThat(this.provider.ibvGetCqEvent(this.passive.completionChannel)).isZero();
		this.passive.expect(CompletionStatus.SUCCESS, 1);
	}

	@Test
	void queueThatIsNotArmedGivesNoEvent() {
		message(1);
		assertThat(eventCame(transport().silenceMillis())).isFalse();
		this.passive.expect(CompletionStatus.SUCCESS, 1);
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 3, 5 })
	void armedQueueGivesOneEventForManyCompletions(int messages) {
		this.provider.ibvReqNotifyCq(this.passive.cq, false);
		for (int i = 0; i < messages; i++) {
			message(i);
		}
		takeEvent();
		assertThat(eventCame(0)).isFalse();
		for (int i = 0; i < messages; i++) {
			this.passive.expect(CompletionStatus.SUCCESS, i);
		}
	}

	@Test
	void queueMustBeArmedAnewAfterEachEvent() {
		this.provider.ibvReqNotifyCq(this.passive.cq, false);
		message(1);
		takeEvent();
		message(2);
		assertThat(eventCame(transport().silenceMillis())).isFalse();
		this.provider.ibvReqNotifyCq(this.passive.cq, false);
		message(3);
		takeEvent();
	}

	@Test
	void armingDoesNotReportWhatIsThereAlready() {
		message(1);
		this.provider.ibvReqNotifyCq(this.passive.cq, false);
		assertThat(eventCame(transport().silenceMillis())).isFalse();
	}

	@Test
	void solicitedNotificationIgnoresOtherCompletions() {
		this.provider.ibvReqNotifyCq(this.passive.cq, true);
		message(1);
		assertThat(eventCame(transport().silenceMillis())).isFalse();
	}

	@Test
	void solicitedNotificationHearsSolicitedCompletions() {
		this.provider.ibvReqNotifyCq(this.passive.cq, true);
		this.passive.postReceive(1, 10);
		SendWorkRequest request = this.connected.active().request(WorkRequestOpcode.SEND, 1, 1);
		request.flags |= SendFlag.SOLICITED.value();
		assertThat(this.connected.active().post(request)).isZero();
		this.connected.active().expect(CompletionStatus.SUCCESS, 1);
		if (rules().solicitedReceivesNotify()) {
			takeEvent();
		}
		else {
			assertThat(eventCame(transport().silenceMillis())).isFalse();
		}
		this.passive.expect(CompletionStatus.SUCCESS, 1);
	}

	@Test
	void eventIsOfferedUntilItIsFetched() {
		this.provider.ibvReqNotifyCq(this.passive.cq, false);
		message(1);
		assertThat(eventCame(PATIENCE_MILLIS)).isTrue();
		assertThat(eventCame(0)).isTrue();
		takeEvent();
		assertThat(eventCame(0)).isFalse();
	}

	@Test
	void emptyQueueHasNothingToPoll() {
		this.passive.expectNoCompletion();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 4 })
	void pollTakesAtMostWhatItHasRoomFor(int room) {
		for (int i = 0; i < 4; i++) {
			message(i);
		}
		WorkCompletion[] completions = new WorkCompletion[room];
		for (int i = 0; i < room; i++) {
			completions[i] = new WorkCompletion();
		}
		int taken = 0;
		for (int count = room; count == room && taken < 4;) {
			count = this.provider.ibvPollCq(this.passive.cq, completions);
			for (int i = 0; i < count; i++) {
				assertThat(completions[i].wrId).isEqualTo(taken + i);
			}
			taken += count;
		}
		assertThat(taken).isEqualTo(4);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, -1, 100_000_000 })
	void impossibleSizeIsInvalid(int entries) {
		long context = this.provider.contextOf(this.passive.id);
		assertErrno(Errno.EINVAL, () -> this.provider.ibvCreateCq(context, entries, 0, 0));
	}

	@Test
	void queueNeedsNoChannel() {
		long cq = this.provider.ibvCreateCq(this.provider.contextOf(this.passive.id), 4, 0, 0);
		assertThat(this.provider.ibvPollCq(cq, new WorkCompletion[] { new WorkCompletion() })).isZero();
		this.provider.ibvDestroyCq(cq);
	}

	@Test
	void unreadEventsDoNotBlockTheDestroy() {
		this.provider.ibvReqNotifyCq(this.passive.cq, false);
		message(1);
		assertThat(eventCame(PATIENCE_MILLIS)).isTrue();
		this.passive.destroyQp();
		long cq = this.provider.ibvCreateCq(this.provider.contextOf(this.passive.id), 4, this.passive.completionChannel,
				0);
		this.provider.ibvDestroyCq(cq);
		takeEvent();
	}

	@Test
	void completionsOutliveTheirQueuePair() {
		message(1);
		this.passive.destroyQp();
		this.passive.expect(CompletionStatus.SUCCESS, 1);
	}

}
