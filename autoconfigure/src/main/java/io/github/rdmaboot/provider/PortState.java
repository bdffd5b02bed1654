package io.github.rdmaboot.provider;

import org.jspecify.annotations.Nullable;

/**
 * State of a device port; stands for {@code enum ibv_port_state}.
 */
public enum PortState {

	/** Not known. */
	NOP(0),

	/** Down. */
	DOWN(1),

	/** Initialising. */
	INIT(2),

	/** Armed. */
	ARMED(3),

	/** Active. */
	ACTIVE(4),

	/** Active, deferred. */
	ACTIVE_DEFER(5);

	private final int value;

	PortState(int value) {
		this.value = value;
	}

	/**
	 * Return the number that stands for it in C.
	 * @return the number
	 */
	public int value() {
		return this.value;
	}

	/**
	 * Return the state with a number.
	 * @param value the number in C
	 * @return the state, or {@code null} for a number that is not known
	 */
	public static @Nullable PortState of(int value) {
		for (PortState candidate : values()) {
			if (candidate.value == value) {
				return candidate;
			}
		}
		return null;
	}

}
