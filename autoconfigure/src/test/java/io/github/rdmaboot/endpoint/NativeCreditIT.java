package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.rdmaboot.provider.NativeTransport;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.TransportRules;
import io.github.rdmaboot.provider.TransportRules.Capability;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

import static org.awaitility.Awaitility.await;

/**
 * Credits on librdmacm and the kernel.
 */
class NativeCreditIT extends CreditContract {

	private final TransportRules rules = NativeTransport.rulesOfThisHost();

	@Override
	RdmaProvider openProvider() {
		return JnaRdmaProvider.open();
	}

	@Override
	boolean hasImmediateData() {
		return this.rules.refusal(Capability.IMMEDIATE_DATA) == null;
	}

	// On iWARP the peer ends the connection, and the message counts as sent.
	@Override
	void expectOverrun(ConnectedPair pair, CompletableFuture<Void> send) {
		if (this.rules.messagesWaitForReceives()) {
			super.expectOverrun(pair, send);
		}
		else {
			await().atMost(Duration.ofSeconds(60)).until(() -> !pair.client().isOpen() && !pair.server().isOpen());
		}
	}

}
