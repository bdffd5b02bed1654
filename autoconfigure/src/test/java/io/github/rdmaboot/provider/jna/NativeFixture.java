package io.github.rdmaboot.provider.jna;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Opens the native provider for each test and checks that the test left no object in the
 * kernel.
 */
@Timeout(120)
abstract class NativeFixture {

	static final String ADDRESS = System.getProperty("rdma.test.address", "192.0.2.1");

	JnaRdmaProvider provider;

	NativePeers peers;

	private String objectsBefore;

	@BeforeEach
	void open() {
		this.objectsBefore = KernelObjects.counts();
		this.provider = JnaRdmaProvider.open();
		this.peers = new NativePeers(this.provider, ADDRESS);
	}

	@AfterEach
	void everyKernelObjectIsGone() {
		this.peers.close();
		this.provider.close();
		assertThat(KernelObjects.counts()).isEqualTo(this.objectsBefore);
	}

	static AbstractStringAssert<?> assertThatFailure(Runnable call) {
		try {
			call.run();
		}
		catch (RdmaException ex) {
			return assertThat(ex.call() + " " + Errno.symbol(ex.errno()));
		}
		return assertThat("no failure");
	}

}
