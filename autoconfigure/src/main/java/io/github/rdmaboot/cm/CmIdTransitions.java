package io.github.rdmaboot.cm;

import io.github.rdmaboot.provider.CmEventType;

/**
 * States that events lead to. Any event may arrive in any state; one that means nothing
 * there changes nothing.
 */
final class CmIdTransitions {

	private CmIdTransitions() {
	}

	static CmIdState after(CmIdState state, CmEventType event) {
		return switch (event) {
			case ADDR_RESOLVED -> move(state, CmIdState.RESOLVING_ADDRESS, CmIdState.ADDRESS_RESOLVED);
			case ADDR_ERROR -> move(state, CmIdState.RESOLVING_ADDRESS, CmIdState.BOUND);
			case ROUTE_RESOLVED -> move(state, CmIdState.RESOLVING_ROUTE, CmIdState.ROUTE_RESOLVED);
			case ROUTE_ERROR -> move(state, CmIdState.RESOLVING_ROUTE, CmIdState.ADDRESS_RESOLVED);
			case ESTABLISHED -> isConnecting(state) ? CmIdState.ESTABLISHED : state;
			case CONNECT_ERROR, UNREACHABLE, REJECTED ->
				(isConnecting(state) || state == CmIdState.ESTABLISHED) ? CmIdState.FAILED : state;
			case DISCONNECTED ->
				(isConnecting(state) || state == CmIdState.ESTABLISHED || state == CmIdState.DISCONNECTING)
						? CmIdState.DISCONNECTED : state;
			case DEVICE_REMOVAL -> state.isLive() ? CmIdState.DEVICE_REMOVED : state;
			default -> state;
		};
	}

	// Return whether fetching a later event of the id can no longer touch its queue pair.
	static boolean settles(CmEventType event) {
		return switch (event) {
			case ESTABLISHED, CONNECT_ERROR, UNREACHABLE, REJECTED, DISCONNECTED -> true;
			default -> false;
		};
	}

	private static boolean isConnecting(CmIdState state) {
		return state == CmIdState.CONNECTING || state == CmIdState.ACCEPTING;
	}

	private static CmIdState move(CmIdState state, CmIdState from, CmIdState to) {
		return (state == from) ? to : state;
	}

}
