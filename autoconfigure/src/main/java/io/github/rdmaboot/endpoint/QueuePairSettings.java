package io.github.rdmaboot.endpoint;

/**
 * Sizes of the queue pair of a connection.
 *
 * @param maxSendWr how many sends may be outstanding, from 1
 * @param maxRecvWr how many receives may be posted, from 1
 * @param maxSendSge how many buffers a send may have, from 1
 * @param maxRecvSge how many buffers a receive may have, from 1
 * @param maxInlineData how many bytes a send may carry inline, from 0
 */
public record QueuePairSettings(int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge, int maxInlineData) {

	public QueuePairSettings {
		Settings.atLeast("max-send-wr", maxSendWr, 1);
		Settings.atLeast("max-recv-wr", maxRecvWr, 1);
		Settings.atLeast("max-send-sge", maxSendSge, 1);
		Settings.atLeast("max-recv-sge", maxRecvSge, 1);
		Settings.atLeast("max-inline-data", maxInlineData, 0);
	}

}
