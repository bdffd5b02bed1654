package io.github.rdmaboot.endpoint;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.github.rdmaboot.provider.RdmaProvider;

/**
 * Counts the calls of a provider that end in a C function, each by its name. Those that
 * only read a field of a C structure are left out: in C they are no calls. The counts may
 * be read by any thread.
 */
final class CountingProvider implements InvocationHandler {

	private static final Set<String> FIELDS = Set.of("rdmaGetLocalAddr", "rdmaGetPeerAddr");

	private final RdmaProvider provider;

	private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();

	private CountingProvider(RdmaProvider provider) {
		this.provider = provider;
	}

	static CountingProvider around(RdmaProvider provider) {
		return new CountingProvider(provider);
	}

	RdmaProvider proxy() {
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, this);
	}

	@Override
	public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
		if (isCall(method.getName())) {
			this.counts.computeIfAbsent(method.getName(), (name) -> new AtomicLong()).incrementAndGet();
		}
		try {
			return method.invoke(this.provider, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	private static boolean isCall(String name) {
		return (name.startsWith("rdma") || name.startsWith("ibv") || name.startsWith("await") || name.endsWith("Waker")
				|| name.equals("wake")) && !FIELDS.contains(name);
	}

	void reset() {
		this.counts.clear();
	}

	Map<String, Long> counts() {
		Map<String, Long> copy = new TreeMap<>();
		this.counts.forEach((name, count) -> copy.put(name, count.get()));
		return copy;
	}

}
