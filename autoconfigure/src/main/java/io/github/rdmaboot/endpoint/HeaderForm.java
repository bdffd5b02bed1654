package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.verbs.Device;

/**
 * Where the header of a message is. Both sides of a connection have devices of the same
 * kind, and so the same form, as long as they are configured alike.
 */
enum HeaderForm {

	/**
	 * There is none.
	 */
	NONE(0),

	/**
	 * In the immediate data.
	 */
	IMMEDIATE(0),

	/**
	 * In front of the content, where the device has no immediate data.
	 */
	CONTENT(MessageHeader.LENGTH);

	private final int length;

	HeaderForm(int length) {
		this.length = length;
	}

	static HeaderForm of(MessageSettings settings, Device device) {
		if (!settings.isUsingHeaders()) {
			return NONE;
		}
		return device.hasImmediateData() ? IMMEDIATE : CONTENT;
	}

	// How many buffers of a request it takes.
	int buffers() {
		return (this == CONTENT) ? 1 : 0;
	}

	// How many bytes the header takes of what is sent.
	int length() {
		return this.length;
	}

}
