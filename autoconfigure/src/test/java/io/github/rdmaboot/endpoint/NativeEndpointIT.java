package io.github.rdmaboot.endpoint;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.NativeTransport;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.TransportRules;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.provider.jna.KernelObjects;
import io.github.rdmaboot.provider.jna.SilentHosts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

import static org.awaitility.Awaitility.await;

/**
 * The endpoint contract on librdmacm and the kernel.
 */
class NativeEndpointIT extends EndpointContract {

	private static @Nullable SilentHosts silentHosts;

	private static String atFirst = "";

	@BeforeAll
	static void shortenTheWaitForSilentHosts() throws IOException {
		if (NativeTransport.rulesOfThisHost().connectWaitsForThePeersMachine()) {
			silentHosts = SilentHosts.giveUpSoon();
		}
	}

	@AfterAll
	static void restoreTheWaitForSilentHosts() throws IOException {
		if (silentHosts != null) {
			silentHosts.close();
		}
	}

	// What a case left behind in a call goes when the call returns.
	@BeforeEach
	void awaitWhatTheLastCaseLeftBehind() {
		if (atFirst.isEmpty()) {
			atFirst = nativeObjects();
		}
		await().atMost(60, TimeUnit.SECONDS).until(() -> nativeObjects().equals(atFirst));
	}

	@Override
	TransportRules rules() {
		return NativeTransport.rulesOfThisHost();
	}

	@Override
	RdmaProvider openProvider() {
		return JnaRdmaProvider.open();
	}

	@Override
	String localAddress() {
		return "192.0.2.1";
	}

	@Override
	String silentAddress() {
		return "192.0.2.77";
	}

	@Override
	String foreignAddress() {
		return "203.0.113.9";
	}

	@Override
	String nativeObjects() {
		return KernelObjects.counts();
	}

	@Override
	int rounds() {
		return 10;
	}

}
