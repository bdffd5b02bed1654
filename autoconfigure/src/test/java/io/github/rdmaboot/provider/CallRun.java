package io.github.rdmaboot.provider;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of a random sequence on a provider, up to the first that brings
 * something else than the model says.
 */
final class CallRun implements AutoCloseable {

	private static final int PATIENCE_MILLIS = 10_000;

	private static final int NOBODY = 4000;

	private static final QueuePairCapabilities CAPABILITIES = new QueuePairCapabilities(16, 16, 1, 1, 0);

	private final RdmaProvider provider;

	private final ContractTransport transport;

	private final CmFixture fixture;

	private final long context;

	private final CallModel model = new CallModel();

	private final ByteBuffer memory = ByteBuffer.allocateDirect(4096);

	/** Handles by name, and names by the handle of a CM id. */
	private final Map<String, Long> handles = new TreeMap<>();

	private final Map<Long, String> names = new HashMap<>();

	private final Map<String, CreatedQueuePair> queuePairs = new HashMap<>();

	private CallRun(ContractTransport transport, RdmaProvider provider) {
		this.transport = transport;
		this.provider = provider;
		this.fixture = new CmFixture(provider, transport.silenceMillis());
		long anchor = this.fixture.newId(PortSpace.TCP);
		provider.rdmaBindAddr(anchor, address(0));
		this.context = provider.contextOf(anchor);
	}

	/**
	 * Run a sequence.
	 * @param transport where
	 * @param provider on which provider
	 * @param commands the sequence
	 * @return what each call brought, and what the model said of the last one if that was
	 * something else
	 */
	static Result of(ContractTransport transport, RdmaProvider provider, List<ModelCommand> commands) {
		try (CallRun run = new CallRun(transport, provider)) {
			return run.run(commands);
		}
	}

	private Result run(List<ModelCommand> commands) {
		List<String> trace = new ArrayList<>();
		for (ModelCommand command : commands) {
			ModelStep step = this.model.apply(command);
			if (step != null) {
				String expected = step.outcome(step.errno, step.events, step.completions,
						this.model.ids.stream().map(ModelObjects.Id::toString).toList());
				trace.add(make(step));
				if (!trace.get(trace.size() - 1).equals(expected)) {
					return new Result(trace, expected);
				}
			}
		}
		List<String> late = events(0, this.transport.silenceMillis(), "");
		return new Result(trace, late.isEmpty() ? null : "no more events than these, but there came " + late);
	}

	private String make(ModelStep step) {
		int errno = 0;
		try {
			errno = call(step);
		}
		catch (RdmaException ex) {
			errno = ex.errno();
		}
		List<String> events = events(step.events.size(), step.silent ? this.transport.silenceMillis() : 0,
				step.created);
		List<String> completions = completions(step.completions.size());
		return step.outcome(errno, events, completions, this.model.ids.stream().map(this::state).toList());
	}

	private String state(ModelObjects.Id modelled) {
		Long id = this.handles.get(modelled.name);
		if (id == null) {
			return modelled.name + " does not exist";
		}
		CreatedQueuePair qp = this.queuePairs.get(modelled.name);
		return ModelObjects.stateText(modelled.name, this.provider.contextOf(id) != 0,
				this.provider.rdmaGetSrcPort(id) != 0,
				(qp != null) ? this.provider.ibvQueryQp(qp.qp(), QueuePairAttributes.STATE).state() : null);
	}

	private int call(ModelStep step) {
		RdmaProvider rdma = this.provider;
		switch (step.call) {
			case CREATE_ID -> named(step.created, this.fixture.newId(PortSpace.TCP));
			case ALLOC_PD -> this.handles.put(step.created, rdma.ibvAllocPd(this.context));
			case CREATE_CQ ->
				this.handles.put(step.created, rdma.ibvCreateCq(this.context, (step.errno == 0) ? 64 : 0, 0, 0));
			case REG_MR -> this.handles.put(
					step.created, rdma
						.ibvRegMr(handle(step.pd), this.memory,
								(step.wrong ? AccessFlag.REMOTE_WRITE : AccessFlag.LOCAL_WRITE).value())
						.mr());
			case DEALLOC_PD -> destroyed(step, rdma::ibvDeallocPd);
			case DESTROY_CQ -> destroyed(step, rdma::ibvDestroyCq);
			case DEREG_MR -> destroyed(step, rdma::ibvDeregMr);
			default -> {
				return callWith(step, handle(step.id), (step.id != null) ? step.id.name : "");
			}
		}
		return 0;
	}

	private int callWith(ModelStep step, long id, String name) {
		RdmaProvider rdma = this.provider;
		CreatedQueuePair qp = this.queuePairs.get(name);
		switch (step.call) {
			case BIND -> rdma.rdmaBindAddr(id, switch (step.variant) {
				case 1 -> new InetSocketAddress(this.transport.withoutRoute(), 0);
				case 2 -> address(rdma.rdmaGetSrcPort(handle(step.other)));
				case 3 -> new InetSocketAddress(0);
				default -> address(0);
			});
			case LISTEN -> rdma.rdmaListen(id, step.variant);
			case RESOLVE_ADDR -> rdma.rdmaResolveAddr(id, null, destination(step), 2000);
			case RESOLVE_ROUTE -> rdma.rdmaResolveRoute(id, step.wrong ? 0 : 2000);
			case SET_OPTION -> rdma.rdmaSetOption(id, CmIdOption.values()[step.variant], 1);
			case CREATE_QP -> this.queuePairs.put(name, rdma.rdmaCreateQp(id, handle(step.pd),
					new QueuePairInit(handle(step.cq), handle(step.cq), 0, CAPABILITIES, QueuePairType.RC, true)));
			case CONNECT -> rdma.rdmaConnect(id, RdmaProviderContract.parameters(new byte[step.wrong ? 57 : 5]));
			case ACCEPT -> rdma.rdmaAccept(id, RdmaProviderContract.PARAMETERS);
			case REJECT -> rdma.rdmaReject(id, new byte[step.wrong ? 149 : 5]);
			case DISCONNECT -> rdma.rdmaDisconnect(id);
			case DESTROY_QP -> destroyQp(id, name);
			case DESTROY_ID -> {
				destroyQp(id, name);
				this.fixture.destroy(id);
				this.handles.remove(name);
			}
			case QP_TO_ERROR -> rdma.ibvModifyQp(qp.qp(), QueuePairAttributes.ofState(QueuePairState.ERR));
			case POST_RECV -> {
				ReceiveWorkRequest request = new ReceiveWorkRequest(1);
				request.wrId = work(step.created);
				return rdma.ibvPostRecv(qp.qp(), request);
			}
			case POST_SEND -> {
				SendWorkRequest request = new SendWorkRequest(1);
				request.wrId = work(step.created);
				request.opcode = WorkRequestOpcode.SEND.value();
				request.flags = SendFlag.SIGNALED.value();
				return rdma.ibvPostSend(qp.qp(), request);
			}
			default -> throw new IllegalStateException(step.call + " is not a call on a CM id");
		}
		return 0;
	}

	private InetSocketAddress destination(ModelStep step) {
		if (step.variant == 1) {
			return new InetSocketAddress(this.transport.withoutRoute(), NOBODY);
		}
		return address((step.other != null) ? this.provider.rdmaGetSrcPort(handle(step.other)) : NOBODY);
	}

	private List<String> events(int expected, int silenceMillis, String child) {
		List<String> events = new ArrayList<>();
		CmEventData event = this.fixture.poll((expected > 0) ? PATIENCE_MILLIS : silenceMillis);
		while (event != null) {
			if (event.listenId() != 0) {
				named(child, event.id());
			}
			String name = this.names.get(event.id())
					+ ((event.listenId() != 0) ? "<" + this.names.get(event.listenId()) : "");
			this.fixture.acknowledge(event);
			// How long time-wait takes is the system's business.
			if (event.type() != CmEventType.TIMEWAIT_EXIT.value()) {
				events.add(ConnectionModel.eventText(name, event.type(), event.status(), event.privateData().length));
			}
			event = this.fixture.poll((events.size() < expected) ? PATIENCE_MILLIS : silenceMillis);
		}
		return events;
	}

	private List<String> completions(int expected) {
		List<String> completions = new ArrayList<>();
		WorkCompletion[] one = { new WorkCompletion() };
		long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
		do {
			for (Map.Entry<String, Long> entry : this.handles.entrySet()) {
				while (entry.getKey().startsWith("cq") && this.provider.ibvPollCq(entry.getValue(), one) > 0) {
					completions.add("work" + one[0].wrId + " " + CompletionStatus.of(one[0].status));
				}
			}
			Thread.onSpinWait();
		}
		while (completions.size() < expected && System.nanoTime() < deadline);
		return completions;
	}

	private static long work(String name) {
		return Long.parseLong(name.substring("work".length()));
	}

	private void named(String name, long id) {
		this.handles.put(name, id);
		this.names.put(id, name);
	}

	private long handle(ModelObjects.@Nullable Named object) {
		return (object != null) ? this.handles.getOrDefault(object.name, 0L) : 0;
	}

	private void destroyed(ModelStep step, LongConsumer destroy) {
		destroy.accept(this.handles.get(step.target));
		this.handles.remove(step.target);
	}

	private void destroyQp(long id, String name) {
		if (this.queuePairs.remove(name) != null) {
			this.provider.rdmaDestroyQp(id);
		}
	}

	private InetSocketAddress address(int port) {
		return new InetSocketAddress(this.transport.address(), port);
	}

	@Override
	public void close() {
		List.copyOf(this.queuePairs.keySet()).forEach((name) -> destroyQp(this.handles.get(name), name));
		destroyAll("mr", this.provider::ibvDeregMr);
		destroyAll("cq", this.provider::ibvDestroyCq);
		destroyAll("pd", this.provider::ibvDeallocPd);
		this.fixture.close();
	}

	private void destroyAll(String kind, LongConsumer destroy) {
		this.handles.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().startsWith(kind))
			.forEach((entry) -> destroy.accept(entry.getValue()));
	}

	/**
	 * What a sequence brought.
	 *
	 * @param trace what each call brought
	 * @param contradiction what the model said of the last one if that was something else
	 */
	record Result(List<String> trace, @Nullable String contradiction) {

	}

}
