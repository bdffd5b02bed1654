package io.github.rdmaboot.endpoint;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.RdmaProvider;

/**
 * Decorator that lets no call of one method go on until all are released.
 */
final class HeldCalls implements InvocationHandler {

	private final RdmaProvider target;

	private final CountDownLatch released = new CountDownLatch(1);

	private final AtomicInteger held = new AtomicInteger();

	private volatile String method = "";

	HeldCalls(RdmaProvider target) {
		this.target = target;
	}

	RdmaProvider provider() {
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, this);
	}

	// Hold the calls of a method from now on.
	void hold(String method) {
		this.method = method;
	}

	// Hold no further calls; those that are held stay so.
	void holdNoMore() {
		this.method = "";
	}

	void release() {
		holdNoMore();
		this.released.countDown();
	}

	// Return how many calls were held.
	int held() {
		return this.held.get();
	}

	@Override
	public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
		if (method.getDeclaringClass() == Object.class) {
			return method.invoke(this, arguments);
		}
		if (method.getName().equals(this.method)) {
			this.held.incrementAndGet();
			this.released.await();
		}
		try {
			return method.invoke(this.target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
