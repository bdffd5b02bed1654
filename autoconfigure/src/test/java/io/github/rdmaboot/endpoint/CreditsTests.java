package io.github.rdmaboot.endpoint;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.WorkRequestOpcode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Credits of two sides that send, receive and read at random, by themselves.
 */
class CreditsTests {

	@ParameterizedTest
	@CsvSource({ "4, 4", "4, 16", "5, 5", "7, 64", "16, 16", "16384, 4" })
	void neitherSideOverrunsTheOtherAndBothCanAlwaysSendInTheEnd(int receivesOfOne, int receivesOfOther) {
		for (int seed = 0; seed < 200; seed++) {
			Side one = new Side(receivesOfOne);
			Side other = new Side(receivesOfOther);
			one.peer = other;
			other.peer = one;
			Random random = new Random(seed);
			for (int step = 0; step < 2000; step++) {
				Side side = random.nextBoolean() ? one : other;
				switch (random.nextInt(4)) {
					case 0, 1 -> side.send();
					case 2 -> side.arrive();
					default -> side.read();
				}
			}
			settle(one, other);
			assertThat(one.send()).as("one side can send, seed %d", seed).isTrue();
			assertThat(other.send()).as("the other side can send, seed %d", seed).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 4, 5, 16 })
	void sideThatOnlySendsIsNeverStuck(int receives) {
		Side sender = new Side(receives);
		Side receiver = new Side(receives);
		sender.peer = receiver;
		receiver.peer = sender;
		for (int i = 0; i < 1000; i++) {
			assertThat(sender.send()).as("message %d", i).isTrue();
			settle(sender, receiver);
		}
	}

	@Test
	void lastCreditIsKeptForGrants() {
		Credits credits = new Credits(4);
		assertThat(credits.permits().reserve(4, 0)).isEqualTo(Permits.Reservation.FULL);
		assertThat(credits.permits().reserve(3, 0)).isEqualTo(Permits.Reservation.DONE);
		assertThat(credits.permits().reserve(1, 0)).isEqualTo(Permits.Reservation.FULL);
		assertThat(credits.permits().tryTakeLast()).isTrue();
		assertThat(credits.permits().tryTakeLast()).isFalse();
	}

	@Test
	void firstGrantTellsTheRestOfTheReceiveQueue() {
		assertThat(new Credits(16).takeOwed()).isEqualTo(12);
		assertThat(new Credits(4).takeOwed()).isZero();
	}

	@Test
	void grantThatWasLeftToAMessageGoesWhenTheMessageIsNotSent() {
		Credits credits = new Credits(4);
		List<Boolean> due = new ArrayList<>();
		credits.grantBy((least) -> due.add(credits.isGrantDue(least)));
		MessageCredits messages = new MessageCredits(HeaderForm.IMMEDIATE, null, credits, null, false);
		WorkDescription work = new WorkDescription(null, 64, 1, HeaderForm.IMMEDIATE);
		SendSlot slot = new SendSlot(0, 0, work);
		work.begin(WorkRequestOpcode.SEND, 0);
		credits.owe(2);
		messages.head(slot);
		assertThat(credits.isGrantDue(2)).isFalse();
		messages.owe(work);
		assertThat(due).as("when it is owed again").containsExactly(true);
		assertThat(credits.permits().tryReserve(3)).isTrue();
		slot.credits(3);
		assertThat(credits.permits().tryTakeLast()).isTrue();
		assertThat(credits.isGrantDue(2)).as("without a credit").isFalse();
		messages.giveBack(slot);
		assertThat(due).as("when there is a credit again").containsExactly(true, true);
		messages.giveBack(slot);
		assertThat(due).hasSize(2);
	}

	@Test
	void grantsAloneTakeEnoughOrNothing() {
		Credits credits = new Credits(4);
		credits.owe(1);
		assertThat(credits.takeGrant(2)).isZero();
		assertThat(credits.takeOwed()).as("owed still").isOne();
		credits.owe(3);
		assertThat(credits.takeGrant(2)).isEqualTo(3);
		assertThat(credits.permits().tryReserve(2)).isTrue();
		assertThat(credits.permits().tryTakeLast()).isTrue();
		credits.owe(2);
		assertThat(credits.takeGrant(2)).as("without a credit").isZero();
		assertThat(credits.takeOwed()).as("owed still").isEqualTo(2);
	}

	@Test
	void whoWaitsForCreditsReturnsThoseOfGrants() {
		Credits credits = new Credits(16);
		credits.takeOwed();
		credits.permits().tryReserve(3);
		credits.owe(1);
		List<Integer> granted = new ArrayList<>();
		credits.grantBy((least) -> {
			granted.add(credits.takeGrant(least));
			credits.granted(8);
		});
		assertThat(credits.permits().reserve(1, TimeUnit.SECONDS.toNanos(20))).isEqualTo(Permits.Reservation.DONE);
		assertThat(granted).containsExactly(1);
	}

	// Let all arrive and be read. Ends only if grants do not keep each other going.
	private static void settle(Side one, Side other) {
		for (int round = 0; one.isBusy() || other.isBusy(); round++) {
			assertThat(round).as("rounds until nothing is sent any more").isLessThan(100_000);
			one.arrive();
			other.arrive();
			one.read();
			other.read();
		}
	}

	/**
	 * One side with its receive queue, and the messages on their way to it.
	 */
	private static final class Side {

		private final Credits credits;

		private final Deque<Integer> onTheWay = new ArrayDeque<>();

		private Side peer = this;

		private int posted;

		private int unread;

		private Side(int receives) {
			this.credits = new Credits(receives);
			this.posted = receives;
		}

		private boolean send() {
			if (!this.credits.permits().tryReserve(1)) {
				return false;
			}
			this.peer.onTheWay.add(MessageHeader.CREDITS | this.credits.takeOwed());
			return true;
		}

		private void arrive() {
			Integer header = this.onTheWay.poll();
			if (header == null) {
				return;
			}
			this.posted--;
			assertThat(this.posted).as("receives that are posted").isNotNegative();
			this.credits.granted(MessageHeader.grants(header));
			if (MessageHeader.isGrantOnly(header)) {
				repost();
			}
			else {
				this.unread++;
			}
			grantIfDue();
		}

		private void read() {
			if (this.unread > 0) {
				this.unread--;
				repost();
				grantIfDue();
			}
		}

		private void repost() {
			this.posted++;
			this.credits.owe(1);
		}

		private void grantIfDue() {
			int owed = this.credits.takeGrant(this.credits.grantedAlone());
			if (owed > 0) {
				this.peer.onTheWay.add(MessageHeader.CREDITS | MessageHeader.GRANT_ONLY | owed);
			}
		}

		private boolean isBusy() {
			return this.unread > 0 || !this.onTheWay.isEmpty();
		}

	}

}
