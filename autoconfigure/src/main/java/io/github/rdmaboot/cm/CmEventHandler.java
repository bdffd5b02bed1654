package io.github.rdmaboot.cm;

/**
 * Receives the events of a CM id on its channel's thread, after the id has taken the
 * state that they lead to. Must not block.
 */
@FunctionalInterface
public interface CmEventHandler {

	/**
	 * An event arrived.
	 * @param id the CM id; the listener for a connection request
	 * @param event the event
	 */
	void onEvent(CmId id, CmEvent event);

}
