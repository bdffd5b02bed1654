package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.NativeTransport;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

/**
 * Messages in fragments on librdmacm and the kernel.
 */
class NativeFragmentIT extends FragmentContract {

	@Override
	RdmaProvider openProvider() {
		return JnaRdmaProvider.open();
	}

	@Override
	FlowControl flowControl() {
		return NativeTransport.rulesOfThisHost().messagesWaitForReceives() ? FlowControl.NONE : FlowControl.CREDITS;
	}

}
