package io.github.rdmaboot.provider;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of requests and replies that are never answered, and how long that takes:
 * on the kernel more than a minute and a half, so the native class runs only when it is
 * named.
 */
abstract class ConnectLimitContract extends RdmaProviderContract {

	private static final int CONNECT_LIMIT_SECONDS = 180;

	ConnectLimitContract(ContractTransport transport) {
		super(transport);
	}

	/**
	 * The kernel repeats a request or reply until it is answered, for about 100 s. To
	 * destroy its sender ends that, but not if the sender itself had rejected.
	 */
	@Test
	@Timeout(value = 240, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void idThatRejectsWhileItsOwnMessageIsUnansweredIsDestroyedOnlyWhenThatWasGivenUp() throws Exception {
		long listener = listener(0);
		Endpoint helper = endpoint(resolved(addressOf(listener)));
		long requesting = resolved(addressOf(listener));
		long replyTo = resolved(addressOf(listener));
		this.provider.rdmaConnect(requesting, parametersOf(ownQueuePair(helper).qpNum()));
		long ignored = this.server.expect(CmEventType.CONNECT_REQUEST).id();
		if (rules().rejectionByTheConnectingSide() != null) {
			assertErrno(rules().rejectionByTheConnectingSide(), () -> this.provider.rdmaReject(requesting, NO_DATA));
			return;
		}
		this.provider.rdmaConnect(replyTo, parametersOf(ownQueuePair(helper).qpNum()));
		long replying = this.server.expect(CmEventType.CONNECT_REQUEST).id();
		this.provider.rdmaAccept(replying, parametersOf(ownQueuePair(helper).qpNum()));
		this.provider.rdmaReject(requesting, NO_DATA);
		this.provider.rdmaReject(replying, NO_DATA);
		this.client.forget(requesting);
		this.server.forget(replying);
		BlockedCall destroyRequesting = BlockedCall.start(() -> this.provider.rdmaDestroyId(requesting));
		BlockedCall destroyReplying = BlockedCall.start(() -> this.provider.rdmaDestroyId(replying));
		destroyRequesting.isBlocked();
		destroyReplying.isBlocked();
		this.client.expect(CmEventType.CONNECT_RESPONSE);
		assertThat(this.client.expect(CmEventType.REJECTED).status()).isEqualTo(rules().rejectedByApplication());
		// The request is repeated, and there is nobody any more who knows it.
		this.server.destroy(ignored);
		passConnectLimit();
		assertThat(this.server.expect(CmEventType.CONNECT_REQUEST).listenId()).isEqualTo(listener);
		destroyRequesting.returns(CONNECT_LIMIT_SECONDS);
		destroyReplying.returns(CONNECT_LIMIT_SECONDS);
	}

	/**
	 * Let the time pass after which a request or reply is given up, where time does not
	 * do so by itself.
	 */
	void passConnectLimit() {
	}

}
