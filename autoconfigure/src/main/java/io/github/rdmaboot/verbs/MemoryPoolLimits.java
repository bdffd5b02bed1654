package io.github.rdmaboot.verbs;

/**
 * Limits of a {@link MemoryPool}.
 *
 * @param slabSize how many bytes the pool registers together at most, unless more is
 * asked for in one piece
 * @param maxSize how many bytes it registers in all
 * @param alignment what the addresses and sizes of blocks are multiples of, a power of
 * two up to the size of a page
 */
public record MemoryPoolLimits(int slabSize, long maxSize, int alignment) {

}
