package io.github.rdmaboot.provider.loopback;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.rdmaboot.provider.AddressHandleAttributes;
import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.QueuePairType;
import io.github.rdmaboot.provider.SendFlag;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.provider.loopback.ReceiveQueue.Receive;

/**
 * Sends datagrams, which arrive or are lost without a word. Its methods are called with
 * the fabric's lock held.
 */
final class DatagramTransport {

	/** Queue key of every queue pair that the CM sets up. */
	static final int CM_QKEY = 0x01234567;

	static final int HEADER = 40;

	/** The version of IPv6 in the first four bits, which every such header has. */
	private static final byte HEADER_VERSION = 0x60;

	private static final int MULTICAST_QP = 0xffffff;

	private DatagramTransport() {
	}

	/**
	 * Send one datagram.
	 * @param qp the sender, whose first send it is
	 * @param request the request
	 * @param path where to
	 */
	static void send(LoopbackQp qp, SendWorkRequest request, AddressHandleAttributes path) {
		PostedSend send = qp.sends.element();
		CompletionStatus readable = send.checkData(qp);
		if (readable != CompletionStatus.SUCCESS) {
			qp.completeSend(readable, 0);
			return;
		}
		byte[] data = Arrays.copyOf(send.data(qp), send.length());
		// A datagram larger than the MTU is dropped without an error, as on soft-RoCE.
		if (data.length <= DeviceLimits.MTU) {
			InetAddress destination = Gids.addressOf(path.dgid());
			int qkey = (request.remoteQkey < 0) ? qp.settings.qkey : request.remoteQkey;
			int number = request.remoteQpNum;
			qp.fabric()
				.network()
				.send(qp.settings.local, destination, () -> arrive(qp, send, data, destination, number, qkey));
		}
		qp.completeSend(CompletionStatus.SUCCESS, 0);
	}

	private static void arrive(LoopbackQp sender, PostedSend send, byte[] data, InetAddress destination, int number,
			int qkey) {
		List<LoopbackQp> receivers = new ArrayList<>();
		if (number == MULTICAST_QP) {
			receivers.addAll(sender.fabric().multicast().members(destination));
		}
		else {
			LoopbackQp receiver = sender.fabric().queuePairs().get(number);
			if (receiver != null) {
				receivers.add(receiver);
			}
		}
		for (LoopbackQp receiver : receivers) {
			if (receiver.type() == QueuePairType.UD && receiver.settings.qkey == qkey
					&& (receiver.state() == QueuePairState.RTS || receiver.state() == QueuePairState.RTR)) {
				receive(sender, receiver, send, data, destination);
			}
		}
	}

	private static void receive(LoopbackQp sender, LoopbackQp receiver, PostedSend send, byte[] data,
			InetAddress destination) {
		Receive receive = receiver.receives().poll();
		if (receive == null || receive.buffers().totalLength() < data.length + HEADER) {
			return;
		}
		byte[] message = new byte[HEADER + data.length];
		message[0] = HEADER_VERSION;
		InetAddress source = sender.settings.local;
		System.arraycopy(Gids.of((source != null) ? source : destination), 0, message, 8, 16);
		System.arraycopy(Gids.of(destination), 0, message, 24, 16);
		System.arraycopy(data, 0, message, HEADER, data.length);
		boolean permitted = receive.buffers()
			.scatter(receiver.fabric().memory(), receiver.pd(), message, message.length);
		CompletionStatus status = permitted ? CompletionStatus.SUCCESS : CompletionStatus.LOC_QP_OP_ERR;
		WorkCompletion completion = receiver.newReceiveCompletion(receive.wrId(), status, CompletionOpcode.RECV);
		completion.byteLength = message.length;
		completion.sourceQp = sender.number();
		completion.flags = 1;
		if (send.operation.hasImmediate()) {
			completion.immediateData = send.immediateData;
			completion.flags = 3;
		}
		receiver.completeReceive(completion, send.has(SendFlag.SOLICITED));
		receiver.receives().recycle(receive);
		if (!permitted) {
			receiver.toError();
		}
	}

}
