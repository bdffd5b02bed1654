package io.github.rdmaboot.provider;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicLong;

import io.github.rdmaboot.provider.CallOrder.Call;

/**
 * Decorator that tells a {@link CallOrder} of every call.
 */
public final class OrderedCalls implements InvocationHandler {

	private static final Object[] NONE = {};

	private static final AtomicLong providers = new AtomicLong();

	private final RdmaProvider target;

	private final CallOrder order;

	private OrderedCalls(RdmaProvider target, CallOrder order) {
		this.target = target;
		this.order = order;
	}

	/**
	 * Decorate a provider.
	 * @param target the provider
	 * @return the same with its calls checked
	 */
	public static RdmaProvider check(RdmaProvider target) {
		return check(target, new CallOrder(false));
	}

	/**
	 * Decorate a provider.
	 * @param target the provider
	 * @param order checks the order of the calls
	 * @return the same with its calls checked
	 */
	public static RdmaProvider check(RdmaProvider target, CallOrder order) {
		providers.incrementAndGet();
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, new OrderedCalls(target, order));
	}

	/**
	 * Return how many providers were decorated by now.
	 * @return the count
	 */
	public static long providers() {
		return providers.get();
	}

	@Override
	public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
		if (method.getDeclaringClass() == Object.class) {
			return method.invoke(this, args);
		}
		Call call = this.order.begin(method.getName(), (args != null) ? args : NONE);
		try {
			Object result = method.invoke(this.target, args);
			this.order.returned(call, result);
			return result;
		}
		catch (InvocationTargetException ex) {
			this.order.failed(call);
			throw ex.getTargetException();
		}
	}

}
