package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.RdmaException;

/**
 * Says of a queue pair that was not made what it was to have beyond what is configured:
 * the device may lack just that.
 */
final class QueuePairRefusal {

	private QueuePairRefusal() {
	}

	/**
	 * Return the error to throw.
	 * @param error the error of the call
	 * @param asked the sizes that were asked for
	 * @param messages the messages of the connection
	 * @param headers where their headers are
	 * @return the error, with what is worth knowing besides
	 */
	static RdmaException explain(RdmaException error, QueuePairCapabilities asked, MessageSettings messages,
			HeaderForm headers) {
		String more = "";
		if (messages.isCounting()) {
			more += ". With messages.flow-control=credits it was to hold " + asked.maxSendWr()
					+ " sends, one more than queue-pair.max-send-wr, which must be less than the device's maximum";
		}
		if (headers == HeaderForm.CONTENT) {
			more += ". For the headers of messages, which have no immediate data on this device, it was to take "
					+ asked.maxSendSge() + " buffers for a send, one more than queue-pair.max-send-sge"
					+ ((asked.maxInlineData() > 0) ? ", and " + asked.maxInlineData() + " bytes inline, "
							+ headers.length() + " more than queue-pair.max-inline-data" : "");
		}
		if (more.isEmpty() || (error.errno() != Errno.EINVAL.value() && error.errno() != Errno.ENOMEM.value())) {
			return error;
		}
		RdmaException explained = new RdmaException(error.call(), error.errno(), error.getMessage() + more);
		explained.initCause(error);
		return explained;
	}

}
