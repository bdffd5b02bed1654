package io.github.rdmaboot.endpoint;

import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory of a peer as its owner describes it: what {@code struct ibv_send_wr} names as
 * {@code remote_addr} and {@code rkey}, with its length. A value, to be sent to the one
 * who reads or writes the memory; in its encoding it takes {@value #ENCODED_LENGTH}
 * bytes, all big-endian: 8 of address, 4 of key, 8 of length.
 *
 * @param address the address of the first byte, in the address space of the owner
 * @param rkey the key that the owner's device gave it
 * @param length the length in bytes, from 0
 */
public record RemoteMemory(long address, int rkey, long length) {

	/** Length of the encoding in bytes. */
	public static final int ENCODED_LENGTH = 20;

	/**
	 * Create the description.
	 * @param address the address of the first byte, in the address space of the owner
	 * @param rkey the key that the owner's device gave it
	 * @param length the length in bytes, from 0
	 * @throws IllegalArgumentException if the length is negative or the memory would end
	 * beyond the highest address
	 */
	public RemoteMemory {
		// As unsigned numbers: the end may be the end of the address space, not beyond.
		if (length < 0 || (length > 0 && Long.compareUnsigned(address + length - 1, address) < 0)) {
			throw new IllegalArgumentException("There is no remote memory of " + length + " bytes at address 0x"
					+ Long.toHexString(address) + ": the length must not be negative and the end not beyond 2^64");
		}
	}

	/**
	 * Return a part of the memory.
	 * @param offset where the part begins, from 0
	 * @param length the length of the part in bytes, from 0
	 * @return the part, with the same key
	 * @throws IndexOutOfBoundsException if it is not inside
	 */
	public RemoteMemory slice(long offset, long length) {
		return new RemoteMemory(addressOf(offset, length), this.rkey, length);
	}

	/**
	 * Write the encoding at the position of a buffer, whatever its byte order.
	 * @param target the buffer, with room for {@value #ENCODED_LENGTH} bytes
	 * @throws BufferOverflowException if there is less room
	 */
	public void writeTo(ByteBuffer target) {
		if (target.remaining() < ENCODED_LENGTH) {
			throw new BufferOverflowException();
		}
		target.putLong(bigEndian(target, this.address));
		target.putInt(bigEndian(target, this.rkey));
		target.putLong(bigEndian(target, this.length));
	}

	/**
	 * Read an encoding from the position of a buffer, whatever its byte order.
	 * @param source the buffer, with at least {@value #ENCODED_LENGTH} bytes left
	 * @return the description that was written
	 * @throws BufferUnderflowException if fewer bytes are left
	 * @throws IllegalArgumentException if the bytes describe no memory
	 */
	public static RemoteMemory readFrom(ByteBuffer source) {
		if (source.remaining() < ENCODED_LENGTH) {
			throw new BufferUnderflowException();
		}
		long address = bigEndian(source, source.getLong());
		int rkey = bigEndian(source, source.getInt());
		return new RemoteMemory(address, rkey, bigEndian(source, source.getLong()));
	}

	// The address of a part, which must be inside.
	long addressOf(long offset, long length) {
		if (offset < 0 || length < 0 || offset > this.length - length) {
			throw new IndexOutOfBoundsException(length + " bytes from offset " + offset + " are not inside "
					+ this.length + " bytes of remote memory");
		}
		return this.address + offset;
	}

	private static long bigEndian(ByteBuffer buffer, long value) {
		return (buffer.order() == ByteOrder.BIG_ENDIAN) ? value : Long.reverseBytes(value);
	}

	private static int bigEndian(ByteBuffer buffer, int value) {
		return (buffer.order() == ByteOrder.BIG_ENDIAN) ? value : Integer.reverseBytes(value);
	}

	@Override
	public String toString() {
		return this.length + " bytes at 0x" + Long.toHexString(this.address) + " with key 0x"
				+ Integer.toHexString(this.rkey);
	}

}
