package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.AccessFlag;
import io.github.rdmaboot.provider.CreatedQueuePair;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.QueuePairType;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackCmId.Exchange;
import io.github.rdmaboot.provider.loopback.LoopbackCmId.State;

/**
 * Creates, changes and describes queue pairs. Its methods are called with the fabric's
 * lock held.
 */
final class QueuePairs {

	private QueuePairs() {
	}

	static CreatedQueuePair create(String call, LoopbackProcess process, long pdHandle, QueuePairInit init) {
		HandleTable handles = process.handles();
		LoopbackPd pd = handles.get(call, pdHandle, LoopbackPd.class);
		pd.device().requirePresent(call);
		LoopbackCq sendCq = handles.get(call, init.sendCq(), LoopbackCq.class);
		LoopbackCq recvCq = handles.get(call, init.recvCq(), LoopbackCq.class);
		LoopbackSrq srq = (init.srq() != 0) ? handles.get(call, init.srq(), LoopbackSrq.class) : null;
		QueuePairCapabilities asked = init.capabilities();
		if (!areLegal(asked) || init.type() == QueuePairType.UC || sendCq.device() != pd.device()
				|| recvCq.device() != pd.device()) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
		LoopbackQp qp = new LoopbackQp(pd, sendCq, recvCq, srq, init.type(), init.signalAll(), asked);
		qp.handle = handles.add(qp);
		return new CreatedQueuePair(qp.handle, qp.number(), asked);
	}

	/**
	 * Create the queue pair of an id and take it to where the library takes it.
	 * @param call the call that asks
	 * @param id the id
	 * @param pdHandle the protection domain
	 * @param init how to create it
	 * @return the queue pair
	 */
	static CreatedQueuePair createFor(String call, LoopbackCmId id, long pdHandle, QueuePairInit init) {
		DeviceContext device = id.requireDevice(call);
		id.require(call, State.ADDR_BOUND, State.ADDR_RESOLVED, State.ROUTE_RESOLVED, State.CONNECT);
		LoopbackPd pd = id.process().handles().get(call, pdHandle, LoopbackPd.class);
		boolean wrongType = (init.type() == QueuePairType.UD) != id.isDatagram();
		if (id.qp != null || pd.device() != device || wrongType || id.exchange == Exchange.FAILED) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
		CreatedQueuePair created = create(call, id.process(), pdHandle, init);
		LoopbackQp qp = id.process().handles().get(call, created.qp(), LoopbackQp.class);
		qp.id = id;
		id.qp = qp;
		qp.settings.local = id.localAddress();
		qp.settings.peer = id.peerAddress();
		if (id.isDatagram()) {
			qp.settings.qkey = DatagramTransport.CM_QKEY;
			qp.setState(QueuePairState.RTS);
		}
		else {
			qp.settings.accessFlags = AccessFlag.REMOTE_WRITE.value();
			qp.setState(QueuePairState.INIT);
		}
		return created;
	}

	static void modify(LoopbackQp qp, QueuePairAttributes attributes) {
		String call = "ibv_modify_qp";
		int mask = attributes.mask();
		QueuePairState from = qp.state();
		QueuePairState to = ((mask & QueuePairAttributes.STATE) != 0) ? attributes.state() : from;
		boolean expected = (mask & QueuePairAttributes.CUR_STATE) == 0 || attributes.currentState() == from;
		if (!expected || !QueuePairTransitions.isLegal(qp.type(), from, to, mask)) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
		if (to != QueuePairState.ERR && to != QueuePairState.RESET) {
			qp.pd().device().requirePresent(call);
		}
		apply(qp.settings, attributes);
		qp.setState(to);
		if (to == QueuePairState.RTS) {
			ReliableTransport.advance(qp);
		}
	}

	static QueuePairAttributes describe(LoopbackQp qp, int mask) {
		QueuePairSettings settings = qp.settings;
		return new QueuePairAttributes(mask, qp.state(), qp.state(), settings.pathMtu, settings.qkey,
				settings.receivePsn, settings.sendPsn, settings.destination, settings.accessFlags, qp.capabilities(),
				settings.address, settings.pkeyIndex, settings.maxRdAtomic, settings.maxDestRdAtomic,
				settings.minRnrTimer, settings.portNum, settings.timeout, settings.retryCount, settings.rnrRetry);
	}

	private static boolean areLegal(QueuePairCapabilities asked) {
		return asked.maxSendWr() >= 1 && asked.maxSendWr() <= DeviceLimits.MAX_WR && asked.maxRecvWr() >= 0
				&& asked.maxRecvWr() <= DeviceLimits.MAX_WR && asked.maxSendSge() >= 0
				&& asked.maxSendSge() <= DeviceLimits.MAX_SGE && asked.maxRecvSge() >= 0
				&& asked.maxRecvSge() <= DeviceLimits.MAX_SGE && asked.maxInlineData() >= 0
				&& asked.maxInlineData() <= DeviceLimits.MAX_INLINE;
	}

	private static void apply(QueuePairSettings settings, QueuePairAttributes attributes) {
		int mask = attributes.mask();
		if ((mask & QueuePairAttributes.ACCESS_FLAGS) != 0) {
			settings.accessFlags = attributes.accessFlags();
		}
		if ((mask & QueuePairAttributes.QKEY) != 0) {
			settings.qkey = attributes.qkey();
		}
		if ((mask & QueuePairAttributes.PKEY_INDEX) != 0) {
			settings.pkeyIndex = attributes.pkeyIndex();
		}
		if ((mask & QueuePairAttributes.PORT) != 0) {
			settings.portNum = attributes.portNum();
		}
		if ((mask & QueuePairAttributes.AV) != 0 && attributes.address() != null) {
			settings.address = attributes.address();
			settings.peer = Gids.addressOf(attributes.address().dgid());
		}
		applyConnection(settings, attributes, mask);
	}

	private static void applyConnection(QueuePairSettings settings, QueuePairAttributes attributes, int mask) {
		if ((mask & QueuePairAttributes.DEST_QPN) != 0) {
			settings.destination = attributes.destinationQpNum();
		}
		if ((mask & QueuePairAttributes.PATH_MTU) != 0) {
			settings.pathMtu = attributes.pathMtu();
		}
		if ((mask & QueuePairAttributes.RQ_PSN) != 0) {
			settings.receivePsn = attributes.receivePsn();
		}
		if ((mask & QueuePairAttributes.SQ_PSN) != 0) {
			settings.sendPsn = attributes.sendPsn();
		}
		if ((mask & QueuePairAttributes.MAX_QP_RD_ATOMIC) != 0) {
			settings.maxRdAtomic = attributes.maxRdAtomic();
		}
		if ((mask & QueuePairAttributes.MAX_DEST_RD_ATOMIC) != 0) {
			settings.maxDestRdAtomic = attributes.maxDestRdAtomic();
		}
		if ((mask & QueuePairAttributes.MIN_RNR_TIMER) != 0) {
			settings.minRnrTimer = attributes.minRnrTimer();
		}
		if ((mask & QueuePairAttributes.TIMEOUT) != 0) {
			settings.timeout = attributes.timeout();
		}
		if ((mask & QueuePairAttributes.RETRY_CNT) != 0) {
			settings.retryCount = attributes.retryCount();
		}
		if ((mask & QueuePairAttributes.RNR_RETRY) != 0) {
			settings.rnrRetry = attributes.rnrRetry();
		}
	}

}
