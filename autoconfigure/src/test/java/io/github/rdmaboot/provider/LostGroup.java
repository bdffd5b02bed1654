package io.github.rdmaboot.provider;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import org.jspecify.annotations.Nullable;

/**
 * Decorator that reports the first group that was joined as lost, just before it delivers
 * the answer to the second join.
 */
public final class LostGroup implements InvocationHandler {

	/** Stands for the event, which the library never made. */
	private static final long EVENT = -1;

	private final RdmaProvider target;

	private volatile long first;

	private volatile @Nullable CmEventData held;

	private volatile boolean told;

	private LostGroup(RdmaProvider target) {
		this.target = target;
	}

	/**
	 * Decorate a provider.
	 * @param target the provider
	 * @return the decorated provider
	 */
	public static RdmaProvider around(RdmaProvider target) {
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, new LostGroup(target));
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
		if (method.getName().equals("rdmaAckCmEvent") && arguments[0].equals(EVENT)) {
			return null;
		}
		try {
			if (method.getName().equals("rdmaGetCmEvent")) {
				return next(method, arguments);
			}
			return method.invoke(this.target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private @Nullable CmEventData next(Method method, Object[] arguments) throws ReflectiveOperationException {
		CmEventData held = this.held;
		this.held = null;
		CmEventData event = (held != null) ? held : (CmEventData) method.invoke(this.target, arguments);
		if (event == null || event.type() != CmEventType.MULTICAST_JOIN.value() || this.told) {
			return event;
		}
		if (this.first == 0) {
			this.first = event.context();
			return event;
		}
		this.told = true;
		this.held = event;
		return new CmEventData(EVENT, CmEventType.MULTICAST_ERROR.value(), -Errno.ENETUNREACH.value(), event.id(), 0,
				new byte[0], 0, 0, 0, 0, event.address(), this.first);
	}

}
