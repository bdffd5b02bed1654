package io.github.rdmaboot.provider;

import java.util.ArrayList;
import java.util.List;

import io.github.rdmaboot.provider.ModelObjects.Exchange;
import io.github.rdmaboot.provider.ModelObjects.Id;
import io.github.rdmaboot.provider.ModelObjects.QueuePair;
import io.github.rdmaboot.provider.ModelObjects.Region;
import io.github.rdmaboot.provider.ModelObjects.Resource;
import io.github.rdmaboot.provider.ModelObjects.State;
import org.jspecify.annotations.Nullable;

/**
 * What librdmacm and the kernel do with the calls of a random sequence, written down as a
 * small state machine. It says which error or which events and completions a call brings,
 * and leaves out what is undefined in C, hangs, or ends only after a timeout.
 */
final class CallModel extends ConnectionModel {

	private static final int MOST_IDS = 8;

	final List<Resource> pds = new ArrayList<>();

	final List<Resource> cqs = new ArrayList<>();

	final List<Region> regions = new ArrayList<>();

	/**
	 * Make a call.
	 * @param command the call
	 * @return what it is made with and what it brings, or {@code null} when it is left
	 * out
	 */
	@Nullable ModelStep apply(ModelCommand command) {
		this.step = new ModelStep(command.call());
		this.step.variant = command.second();
		boolean made = switch (command.call()) {
			case CREATE_ID -> this.ids.size() < MOST_IDS && newId(null) != null;
			case ALLOC_PD -> this.pds.size() < 3 && create(this.pds, new Resource(name("pd")));
			case CREATE_CQ ->
				this.cqs.size() < 3 && (fails(command.second() % 4 == 0) || create(this.cqs, new Resource(name("cq"))));
			case DEALLOC_PD -> destroy(this.pds, command);
			case DESTROY_CQ -> destroy(this.cqs, command);
			case REG_MR -> register(command);
			case DEREG_MR -> deregister(command);
			default -> applyTo(pickFor(command), command);
		};
		return made ? this.step : null;
	}

	private boolean applyTo(@Nullable Id id, ModelCommand command) {
		if (id == null) {
			return false;
		}
		this.step.id = id;
		return switch (command.call()) {
			case BIND -> bind(id, command);
			case LISTEN -> listen(id);
			case RESOLVE_ADDR -> resolve(id, command);
			case RESOLVE_ROUTE -> resolveRoute(id);
			case SET_OPTION -> setOption(id, command);
			case CREATE_QP -> createQp(id, command);
			case CONNECT -> connect(id);
			case ACCEPT -> accept(id);
			case REJECT -> reject(id);
			case DISCONNECT -> disconnect(id);
			case DESTROY_QP -> id.qp != null && destroyQp(id);
			case DESTROY_ID -> destroyId(id);
			case POST_RECV -> postReceive(id);
			case POST_SEND -> postSend(id);
			case QP_TO_ERROR -> id.qp != null && toError(id);
			default -> throw new IllegalStateException(command + " has no CM id");
		};
	}

	private boolean bind(Id id, ModelCommand command) {
		Id other = pick(this.ids, command.third());
		this.step.other = other;
		this.step.variant = command.second() % 4;
		if (id.state != State.IDLE) {
			return fails(Errno.EINVAL);
		}
		switch (this.step.variant) {
			case 1 -> {
				return fails(Errno.EADDRNOTAVAIL);
			}
			case 2 -> {
				return other.hasPort && other.listener == null
						&& fails(other.wildcard ? Errno.EADDRNOTAVAIL : Errno.EADDRINUSE);
			}
			default -> {
				id.wildcard = this.step.variant == 3;
				id.device = !id.wildcard;
				id.hasPort = true;
				id.state = State.BOUND;
				return true;
			}
		}
	}

	private boolean listen(Id id) {
		if (id.state != State.IDLE && id.state != State.BOUND) {
			return fails(Errno.EINVAL);
		}
		id.wildcard |= id.state == State.IDLE;
		id.hasPort = true;
		id.state = State.LISTEN;
		return true;
	}

	private boolean resolve(Id id, ModelCommand command) {
		Id other = pick(this.ids, command.third());
		for (int i = 0; command.second() % 4 > 1 && i < this.ids.size() && other.state != State.LISTEN; i++) {
			other = pick(this.ids, command.third() + i);
		}
		this.step.other = (other.hasPort && other != id) ? other : null;
		this.step.variant = (command.second() % 8 == 0) ? 1 : 0;
		if (id.state != State.IDLE && id.state != State.BOUND) {
			return fails(Errno.EINVAL);
		}
		if (this.step.variant == 1 && id.device) {
			// Whether the network behind the device has it shows after a while.
			return false;
		}
		id.wildcard |= id.state == State.IDLE;
		if (this.step.variant == 1) {
			// Bound it is, but the library has not asked the kernel to which port.
			id.state = State.BOUND;
			return fails(Errno.ENETUNREACH);
		}
		id.hasPort = true;
		id.state = State.ADDRESS_RESOLVED;
		id.wildcard = false;
		id.device = true;
		id.destination = (other.listener != null) ? other.listener : this.step.other;
		return event(id, CmEventType.ADDR_RESOLVED, 0, 0);
	}

	private boolean resolveRoute(Id id) {
		if (!id.device) {
			return false;
		}
		if (id.state != State.ADDRESS_RESOLVED || isWrong()) {
			return fails(Errno.EINVAL);
		}
		id.state = State.ROUTE_RESOLVED;
		return event(id, CmEventType.ROUTE_RESOLVED, 0, 0);
	}

	private boolean setOption(Id id, ModelCommand command) {
		CmIdOption option = CmIdOption.values()[command.second() % 4];
		this.step.variant = option.ordinal();
		boolean unbound = id.state == State.IDLE || id.state == State.BOUND;
		boolean wrong = (option == CmIdOption.AFONLY && !unbound)
				|| (option == CmIdOption.REUSEADDR && id.state == State.LISTEN);
		if (wrong) {
			return fails(Errno.EINVAL);
		}
		// An id that reuses its address would be bound where others get an error.
		return option != CmIdOption.REUSEADDR || id.state != State.IDLE;
	}

	private boolean createQp(Id id, ModelCommand command) {
		if (!id.device || this.pds.isEmpty() || this.cqs.isEmpty()) {
			return false;
		}
		Resource pd = pick(this.pds, command.second());
		Resource cq = pick(this.cqs, command.third());
		this.step.pd = pd;
		this.step.cq = cq;
		boolean connectable = switch (id.exchange) {
			case NONE -> id.state != State.LISTEN;
			case REQUEST_SENT, REQUEST_RECEIVED, REPLY_SENT, REPLY_RECEIVED, ESTABLISHED -> true;
			default -> false;
		};
		if (id.qp != null || !connectable) {
			return fails(Errno.EINVAL);
		}
		id.qp = new QueuePair(pd, cq);
		pd.users++;
		cq.users++;
		return true;
	}

	private boolean register(ModelCommand command) {
		if (this.pds.isEmpty() || this.regions.size() == 4) {
			return false;
		}
		this.step.pd = pick(this.pds, command.first());
		if (isWrong()) {
			return fails(Errno.EINVAL);
		}
		this.step.pd.users++;
		return create(this.regions, new Region(name("mr"), this.step.pd));
	}

	private boolean deregister(ModelCommand command) {
		if (this.regions.isEmpty()) {
			return false;
		}
		Region region = pick(this.regions, command.first());
		this.step.target = region.name;
		region.pd.users--;
		return this.regions.remove(region);
	}

	private boolean destroy(List<Resource> resources, ModelCommand command) {
		if (resources.isEmpty()) {
			return false;
		}
		Resource resource = pick(resources, command.first());
		this.step.target = resource.name;
		return (resource.users > 0) ? fails(Errno.EBUSY) : resources.remove(resource);
	}

	/** An id that the call leads onward, but sometimes any. */
	private @Nullable Id pickFor(ModelCommand command) {
		List<Id> fitting = (command.third() % 8 == 0) ? this.ids
				: this.ids.stream().filter((id) -> leadsOnward(command.call(), id)).toList();
		return fitting.isEmpty() ? null : pick(fitting, command.first());
	}

	private static boolean leadsOnward(ModelCommand.Call call, Id id) {
		return switch (call) {
			case BIND, RESOLVE_ADDR -> id.state == State.IDLE;
			case LISTEN -> id.state == State.BOUND;
			case RESOLVE_ROUTE -> id.state == State.ADDRESS_RESOLVED;
			case CREATE_QP ->
				id.qp == null && (id.state == State.ROUTE_RESOLVED || id.exchange == Exchange.REQUEST_RECEIVED);
			case CONNECT -> id.state == State.ROUTE_RESOLVED && id.qp != null;
			case ACCEPT -> id.exchange == Exchange.REQUEST_RECEIVED && id.qp != null;
			case REJECT -> id.exchange == Exchange.REQUEST_RECEIVED || id.exchange == Exchange.REPLY_RECEIVED;
			case DISCONNECT -> id.exchange == Exchange.ESTABLISHED || id.exchange == Exchange.DISCONNECT_RECEIVED;
			case DESTROY_ID -> id.exchange == Exchange.FAILED || id.exchange == Exchange.OVER;
			case SET_OPTION -> true;
			default -> id.qp != null && id.qp.state != QueuePairState.ERR;
		};
	}

}
