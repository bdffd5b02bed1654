package io.github.rdmaboot.provider;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.CallOrder.Call;

/**
 * Decorator that makes the n-th call of one method fail, block or return late, and tells
 * a {@link CallOrder} of every call.
 */
public final class FaultingProvider implements InvocationHandler {

	private static final Object[] NONE = {};

	private final RdmaProvider target;

	private final CallOrder order;

	private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

	private final CountDownLatch released = new CountDownLatch(1);

	private final AtomicBoolean injected = new AtomicBoolean();

	private volatile Fault fault = Fault.NONE;

	private FaultingProvider(RdmaProvider target, CallOrder order) {
		this.target = target;
		this.order = order;
	}

	/**
	 * Decorate a provider.
	 * @param target the provider
	 * @param order checks the order of the calls
	 * @return the decorator
	 */
	public static FaultingProvider of(RdmaProvider target, CallOrder order) {
		return new FaultingProvider(target, order);
	}

	/**
	 * Return the decorated provider.
	 * @return the provider
	 */
	public RdmaProvider provider() {
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, this);
	}

	/**
	 * Set the fault.
	 * @param fault the fault
	 */
	public void inject(Fault fault) {
		this.fault = fault;
	}

	/**
	 * Let blocked calls go on.
	 */
	public void release() {
		this.released.countDown();
	}

	/**
	 * Return whether the fault has happened.
	 * @return whether it has
	 */
	public boolean isInjected() {
		return this.injected.get();
	}

	/**
	 * Return how often methods were called.
	 * @return the counts by method
	 */
	public Map<String, AtomicInteger> counts() {
		return this.counts;
	}

	@Override
	public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
		if (method.getDeclaringClass() == Object.class) {
			return method.invoke(this, args);
		}
		int number = this.counts.computeIfAbsent(method.getName(), (name) -> new AtomicInteger()).incrementAndGet();
		Fault fault = this.fault;
		boolean hit = fault.kind() != Kind.NONE && fault.method().equals(method.getName()) && fault.number() == number;
		if (hit) {
			this.injected.set(true);
			switch (fault.kind()) {
				case FAIL -> {
					return failure(method, begin(method, args), fault);
				}
				case ERROR -> throw error(method, begin(method, args));
				case BLOCK -> this.released.await();
				case LATE -> this.released.await(150, TimeUnit.MILLISECONDS);
				default -> {
				}
			}
		}
		Call call = begin(method, args);
		try {
			Object result = method.invoke(this.target, args);
			if (hit && fault.kind() == Kind.FAIL_AFTERWARDS) {
				return failure(method, call, fault);
			}
			if (hit && fault.kind() == Kind.ERROR_AFTERWARDS) {
				throw error(method, call);
			}
			this.order.returned(call, result);
			return result;
		}
		catch (InvocationTargetException ex) {
			this.order.failed(call);
			throw ex.getTargetException();
		}
	}

	private Call begin(Method method, Object[] args) {
		return this.order.begin(method.getName(), (args != null) ? args : NONE);
	}

	private Object failure(Method method, Call call, Fault fault) {
		this.order.failed(call);
		if (method.getReturnType() == int.class) {
			return fault.errno();
		}
		throw new RdmaException(fault.function(), fault.errno());
	}

	private LinkageError error(Method method, Call call) {
		this.order.failed(call);
		return new LinkageError(method.getName() + " cannot be called");
	}

	/**
	 * What a fault does.
	 */
	public enum Kind {

		/** Nothing. */
		NONE,

		/** The call fails and has no effect. */
		FAIL,

		/** The call throws an error of Java's own and has no effect. */
		ERROR,

		/** The call has its effect and is reported as failed. */
		FAIL_AFTERWARDS,

		/** The call has its effect and throws an error of Java's own. */
		ERROR_AFTERWARDS,

		/** The call does not return until it is released. */
		BLOCK,

		/** The call takes 150 ms. */
		LATE

	}

	/**
	 * Fault of one call.
	 *
	 * @param method the method
	 * @param number which of its calls, from 1
	 * @param kind what happens
	 * @param errno the errno of a failure
	 */
	public record Fault(String method, int number, Kind kind, int errno) {

		/** No fault. */
		public static final Fault NONE = new Fault("", 0, Kind.NONE, 0);

		/**
		 * Return whether the caller sees an errno.
		 * @return whether it does
		 */
		public boolean isFailure() {
			return this.kind == Kind.FAIL || this.kind == Kind.FAIL_AFTERWARDS;
		}

		/**
		 * Return whether the caller sees an error of Java's own.
		 * @return whether it does
		 */
		public boolean isError() {
			return this.kind == Kind.ERROR || this.kind == Kind.ERROR_AFTERWARDS;
		}

		/**
		 * Return the C function that the method stands for.
		 * @return the function
		 */
		public String function() {
			return this.method.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
		}

		@Override
		public String toString() {
			return this.method + " #" + this.number + " " + this.kind
					+ (isFailure() ? " " + Errno.symbol(this.errno) : "");
		}

	}

}
