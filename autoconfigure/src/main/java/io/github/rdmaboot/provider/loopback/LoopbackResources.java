package io.github.rdmaboot.provider.loopback;

/**
 * Count of what exists on a fabric, for tests that nothing was left behind.
 *
 * @param handles the objects and unacknowledged events of all providers
 * @param queuePairs the queue pairs
 * @param memoryRegions the memory regions
 * @param ports the ports in use in all port spaces
 * @param timers what is due later: retransmissions and the end of time-wait states
 */
public record LoopbackResources(int handles, int queuePairs, int memoryRegions, int ports, int timers) {

}
