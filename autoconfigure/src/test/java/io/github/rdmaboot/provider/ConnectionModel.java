package io.github.rdmaboot.provider;

import java.util.ArrayList;
import java.util.List;

import io.github.rdmaboot.provider.ModelObjects.Exchange;
import io.github.rdmaboot.provider.ModelObjects.Id;
import io.github.rdmaboot.provider.ModelObjects.Named;
import io.github.rdmaboot.provider.ModelObjects.QueuePair;
import io.github.rdmaboot.provider.ModelObjects.State;
import org.jspecify.annotations.Nullable;

/**
 * The part of the {@link CallModel} that is about connections and what goes over them.
 */
abstract class ConnectionModel {

	private static final int MOST_RECEIVES = 8;

	final List<Id> ids = new ArrayList<>();

	int names;

	ModelStep step = new ModelStep(ModelCommand.Call.CREATE_ID);

	boolean connect(Id id) {
		if (!id.device || (id.state == State.ROUTE_RESOLVED && id.qp == null)) {
			return false;
		}
		if (id.state != State.ROUTE_RESOLVED || isWrong()) {
			return fails(Errno.EINVAL);
		}
		id.state = State.CONNECT;
		Id listener = id.destination;
		if (listener == null || listener.gone || listener.state != State.LISTEN) {
			id.exchange = Exchange.FAILED;
			event(id, CmEventType.REJECTED, 8, 148);
			return toError(id);
		}
		id.exchange = Exchange.REQUEST_SENT;
		Id child = newId(listener);
		child.peer = id;
		id.peer = child;
		this.step.events.add(eventText(child.name + "<" + listener.name, CmEventType.CONNECT_REQUEST.value(), 0, 56));
		return true;
	}

	boolean accept(Id id) {
		Id active = id.peer;
		boolean answered = id.exchange == Exchange.ESTABLISHED || id.exchange == Exchange.REPLY_SENT
				|| id.exchange == Exchange.REPLY_RECEIVED;
		if (!id.device || id.qp == null || (answered && id.qp.state == QueuePairState.INIT)) {
			return false;
		}
		if (id.exchange != Exchange.REQUEST_RECEIVED || id.qp.state != QueuePairState.INIT) {
			return fails(Errno.EINVAL);
		}
		if (active == null || active.exchange != Exchange.REQUEST_SENT || active.qp == null) {
			return false;
		}
		id.qp.state = QueuePairState.RTS;
		if (active.qp.state != QueuePairState.INIT) {
			// The library tells only its own side.
			active.exchange = Exchange.REPLY_RECEIVED;
			id.exchange = Exchange.REPLY_SENT;
			return event(active, CmEventType.CONNECT_ERROR, -1, 196);
		}
		active.qp.state = QueuePairState.RTS;
		active.exchange = Exchange.ESTABLISHED;
		id.exchange = Exchange.ESTABLISHED;
		return event(active, CmEventType.ESTABLISHED, 0, 196) && event(id, CmEventType.ESTABLISHED, 0, 0);
	}

	boolean reject(Id id) {
		if (isWrong()) {
			return fails(Errno.EINVAL);
		}
		switch (id.exchange) {
			case REQUEST_RECEIVED, REPLY_RECEIVED -> {
				id.exchange = Exchange.FAILED;
				return rejected(id.peer);
			}
			case REQUEST_SENT, REPLY_SENT -> {
				// The kernel goes on with the message, and destroys the id only when it
				// has given that up: ConnectLimitContract.
				return false;
			}
			default -> {
				return fails(Errno.EINVAL);
			}
		}
	}

	boolean rejected(@Nullable Id peer) {
		Exchange before = (peer != null) ? peer.exchange : Exchange.NONE;
		if (before == Exchange.REPLY_RECEIVED) {
			// The library swallows what comes after its own error.
			this.step.silent = true;
			peer.exchange = Exchange.FAILED;
		}
		else if (before == Exchange.REQUEST_SENT || before == Exchange.REPLY_SENT) {
			peer.exchange = Exchange.FAILED;
			event(peer, CmEventType.REJECTED, 28, 148);
			toError(peer);
		}
		return true;
	}

	boolean disconnect(Id id) {
		if (!id.device) {
			return fails(Errno.EINVAL);
		}
		toError(id);
		if (id.exchange == Exchange.NONE && id.state != State.LISTEN) {
			return fails(Errno.EINVAL);
		}
		if (id.exchange == Exchange.ESTABLISHED) {
			id.exchange = Exchange.DISCONNECT_SENT;
			disconnectArrives(id.peer);
		}
		else if (id.exchange == Exchange.DISCONNECT_RECEIVED) {
			id.exchange = Exchange.OVER;
			answerArrives(id.peer);
		}
		return true;
	}

	void disconnectArrives(@Nullable Id peer) {
		if (peer != null && peer.exchange == Exchange.ESTABLISHED) {
			peer.exchange = Exchange.DISCONNECT_RECEIVED;
			event(peer, CmEventType.DISCONNECTED, 0, 0);
		}
	}

	void answerArrives(@Nullable Id peer) {
		if (peer != null && peer.exchange == Exchange.DISCONNECT_SENT) {
			peer.exchange = Exchange.OVER;
			event(peer, CmEventType.DISCONNECTED, 0, 0);
		}
	}

	boolean destroyId(Id id) {
		if (id.qp != null) {
			destroyQp(id);
		}
		switch (id.exchange) {
			case REQUEST_SENT -> {
				this.step.silent = true;
				if (id.peer != null && id.peer.exchange == Exchange.REQUEST_RECEIVED) {
					id.peer.exchange = Exchange.FAILED;
				}
			}
			case REQUEST_RECEIVED, REPLY_SENT, REPLY_RECEIVED -> rejected(id.peer);
			case ESTABLISHED -> disconnectArrives(id.peer);
			case DISCONNECT_RECEIVED -> answerArrives(id.peer);
			default -> {
			}
		}
		id.exchange = Exchange.FAILED;
		id.gone = true;
		this.ids.remove(id);
		return true;
	}

	boolean postReceive(Id id) {
		if (id.qp == null || id.qp.state == QueuePairState.ERR || id.qp.receives.size() == MOST_RECEIVES) {
			return false;
		}
		this.step.created = name("work");
		id.qp.receives.add(this.step.created);
		return true;
	}

	boolean postSend(Id id) {
		if (id.qp == null || id.qp.state == QueuePairState.INIT) {
			return false;
		}
		this.step.created = name("work");
		if (id.qp.state == QueuePairState.ERR) {
			return completion(this.step.created, CompletionStatus.WR_FLUSH_ERR);
		}
		QueuePair peer = (id.peer != null) ? id.peer.qp : null;
		if (id.exchange != Exchange.ESTABLISHED || peer == null || peer.state != QueuePairState.RTS
				|| peer.receives.isEmpty()) {
			return false;
		}
		return completion(this.step.created, CompletionStatus.SUCCESS)
				&& completion(peer.receives.remove(), CompletionStatus.SUCCESS);
	}

	boolean toError(Id id) {
		if (id.qp != null) {
			id.qp.state = QueuePairState.ERR;
			id.qp.receives.forEach((work) -> completion(work, CompletionStatus.WR_FLUSH_ERR));
			id.qp.receives.clear();
		}
		return true;
	}

	boolean destroyQp(Id id) {
		QueuePair qp = id.qp;
		if (qp != null) {
			qp.pd.users--;
			qp.cq.users--;
			id.qp = null;
		}
		return true;
	}

	Id newId(@Nullable Id listener) {
		Id id = new Id(name("id"));
		if (listener != null) {
			id.listener = listener;
			id.device = true;
			id.hasPort = true;
			id.state = State.CONNECT;
			id.exchange = Exchange.REQUEST_RECEIVED;
		}
		create(this.ids, id);
		return id;
	}

	<T extends Named> boolean create(List<T> all, T object) {
		this.step.created = object.name;
		return all.add(object);
	}

	/** Whether the call gets an argument that is wrong in every state. */
	boolean isWrong() {
		this.step.wrong = this.step.variant % 8 == 0;
		return this.step.wrong;
	}

	boolean fails(boolean wrong) {
		return wrong && fails(Errno.EINVAL);
	}

	boolean fails(Errno errno) {
		this.step.errno = errno.value();
		return true;
	}

	boolean event(Id id, CmEventType type, int status, int dataLength) {
		return this.step.events.add(eventText(id.name, type.value(), status, dataLength));
	}

	boolean completion(String work, CompletionStatus status) {
		return this.step.completions.add(work + " " + status);
	}

	static String eventText(String id, int type, int status, int dataLength) {
		return id + " " + CmEventType.of(type) + " " + status + " " + dataLength + " bytes";
	}

	String name(String kind) {
		return kind + this.names++;
	}

	static <T> T pick(List<T> all, int choice) {
		return all.get(choice % all.size());
	}

}
