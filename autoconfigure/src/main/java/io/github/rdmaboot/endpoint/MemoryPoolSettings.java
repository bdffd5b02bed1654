package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.verbs.MemoryPoolLimits;

/**
 * Pool of registered memory that the connections on a device share.
 *
 * @param slabSize how many bytes the pool registers together at most, unless more is
 * needed in one piece, from 4 KB to 1 GB
 * @param maxSize how many bytes the pool registers in all, from the slab size to 64 TB
 * @param alignment what the addresses of buffers are multiples of, a power of two from 8
 * to 4096
 */
public record MemoryPoolSettings(long slabSize, long maxSize, long alignment) {

	public MemoryPoolSettings {
		Settings.sizeBetween("slab-size", slabSize, 4096, 1 << 30);
		Settings.sizeBetween("max-size", maxSize, slabSize, 1L << 46);
		Settings.sizeBetween("alignment", alignment, 8, 4096);
		if (Long.bitCount(alignment) != 1) {
			throw new IllegalArgumentException(
					"alignment is " + Settings.text(alignment) + " but must be a power of two");
		}
	}

	/**
	 * Return the settings that hold unless configured otherwise.
	 * @return slabs of 8 MB, 4 GB in all, alignment to 64 bytes
	 */
	public static MemoryPoolSettings defaults() {
		return new MemoryPoolSettings(8 << 20, 4L << 30, 64);
	}

	MemoryPoolLimits limits() {
		return new MemoryPoolLimits((int) this.slabSize, this.maxSize, (int) this.alignment);
	}

}
