package io.github.rdmaboot.endpoint;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.OrderedCalls;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.StopPlan;
import org.jspecify.annotations.Nullable;

/**
 * Registries of which the order of all native calls is checked.
 */
public final class CheckedEndpoints {

	private CheckedEndpoints() {
	}

	/**
	 * Create a registry.
	 * @param providers opens the provider at each start
	 * @param shutdown the limits of a destroy
	 * @param handlerExecutor the executor of message handlers or {@code null}
	 * @return the registry
	 */
	public static RdmaEndpoints create(Supplier<? extends RdmaProvider> providers, ShutdownSettings shutdown,
			@Nullable Executor handlerExecutor) {
		return check(new RdmaEndpoints(providers, shutdown, handlerExecutor));
	}

	/**
	 * Create a registry.
	 * @param providers opens the provider at each start
	 * @param callTimeout how long a call may take that is no part of a destroy
	 * @param shutdown the limits of a destroy
	 * @param memoryPool the limits of the registered memory
	 * @param handlerExecutor the executor of message handlers or {@code null}
	 * @return the registry
	 */
	public static RdmaEndpoints create(Supplier<? extends RdmaProvider> providers, Duration callTimeout,
			ShutdownSettings shutdown, MemoryPoolSettings memoryPool, @Nullable Executor handlerExecutor) {
		return check(new RdmaEndpoints(providers, callTimeout, shutdown, memoryPool, handlerExecutor));
	}

	/**
	 * Check the calls of a registry that was made by somebody else and not started yet.
	 * @param endpoints the registry
	 * @return the same
	 */
	@SuppressWarnings("unchecked")
	public static RdmaEndpoints check(RdmaEndpoints endpoints) {
		endpoints.addDestroyListener(new PlanOfStop());
		try {
			Object starts = field(endpoints, "starts").get(endpoints);
			Field field = field(starts, "providers");
			Supplier<RdmaProvider> providers = (Supplier<RdmaProvider>) field.get(starts);
			field.set(starts, (Supplier<RdmaProvider>) () -> OrderedCalls.check(providers.get()));
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("The calls of the registry cannot be checked", ex);
		}
		return endpoints;
	}

	// By the means of Java alone, for some tests have no others on their class path.
	private static Field field(Object owner, String name) throws NoSuchFieldException {
		Field field = owner.getClass().getDeclaredField(name);
		field.setAccessible(true);
		return field;
	}

	/**
	 * Follows the stops of a registry, of which there is one at a time.
	 */
	private static final class PlanOfStop implements DestroyListener {

		private volatile @Nullable StopPlan plan;

		@Override
		public void stopStarted(DestroyTrigger trigger) {
			this.plan = StopPlan.begin(conductor());
		}

		// Listeners are told on a thread of their own, as long as there is one to have.
		private static Thread conductor() {
			Thread thread = Thread.currentThread();
			if (!thread.getName().startsWith("rdma-listeners-")) {
				return thread;
			}
			try {
				return (Thread) field(thread, "conductor").get(thread);
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalStateException("The order of the stop cannot be checked", ex);
			}
		}

		@Override
		public void destroyEnded(DestroyReport report) {
			StopPlan plan = this.plan;
			if (plan != null && report.result() == DestroyResult.TIMEOUT) {
				plan.gaveUp();
			}
		}

		@Override
		public void stopEnded(DestroyTrigger trigger, Duration took) {
			StopPlan plan = this.plan;
			if (plan != null) {
				plan.end();
			}
		}

	}

}
