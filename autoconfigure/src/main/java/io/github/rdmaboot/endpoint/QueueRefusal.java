package io.github.rdmaboot.endpoint;

import java.util.function.Supplier;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.RdmaException;

/**
 * Says of a queue that was not made what it was to hold, and which properties say so: the
 * device may lack just that, and the call tells nothing but an errno.
 */
final class QueueRefusal {

	private QueueRefusal() {
	}

	/**
	 * Return the error to throw where a queue pair was not made.
	 * @param error the error of the call
	 * @param asked the sizes that were asked for
	 * @param messages the messages of the connection
	 * @param headers where their headers are
	 * @return the error, with what is worth knowing besides
	 */
	static RdmaException explain(RdmaException error, QueuePairCapabilities asked, MessageSettings messages,
			HeaderForm headers) {
		String more = ": the device may not take as much as queue-pair.max-send-wr, max-recv-wr, max-send-sge, "
				+ "max-recv-sge and max-inline-data ask for, together " + asked.maxSendWr() + " sends of "
				+ asked.maxSendSge() + " buffers or " + asked.maxInlineData() + " bytes inline and " + asked.maxRecvWr()
				+ " receives of " + asked.maxRecvSge();
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
		return explain(error, more);
	}

	/**
	 * Make a queue, or throw an error that says what is worth knowing besides.
	 * @param <Q> the type of the queue
	 * @param call makes the queue
	 * @param size how much it is to hold
	 * @param properties what says so
	 * @return the queue
	 */
	static <Q> Q explaining(Supplier<Q> call, int size, String properties) {
		try {
			return call.get();
		}
		catch (RdmaException ex) {
			throw explain(ex,
					": the device may have no queue that holds " + size + ", which " + properties + " asks for");
		}
	}

	private static RdmaException explain(RdmaException error, String more) {
		if (error.errno() != Errno.EINVAL.value() && error.errno() != Errno.ENOMEM.value()) {
			return error;
		}
		RdmaException explained = new RdmaException(error.call(), error.errno(), error.getMessage() + more);
		explained.initCause(error);
		return explained;
	}

}
