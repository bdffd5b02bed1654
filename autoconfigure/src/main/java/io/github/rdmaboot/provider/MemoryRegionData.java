package io.github.rdmaboot.provider;

/**
 * Memory region that was just registered; stands for {@code struct ibv_mr}.
 *
 * @param mr the handle
 * @param address the address of its first byte, as work requests name it
 * @param length the length in bytes
 * @param lkey the key for local work requests
 * @param rkey the key for peers
 */
public record MemoryRegionData(long mr, long address, long length, int lkey, int rkey) {

}
