package io.github.rdmaboot.provider;

/**
 * Copy of an asynchronous event that was fetched and not yet acknowledged; stands for
 * {@code struct ibv_async_event}.
 *
 * @param event the handle, to be acknowledged exactly once
 * @param type the number of the event's type
 * @param element the queue pair, completion queue or shared receive queue that the event
 * is about, or the port number
 */
public record AsyncEventData(long event, int type, long element) {

}
