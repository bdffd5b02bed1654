package io.github.rdmaboot.endpoint.destroy;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.github.rdmaboot.provider.RdmaProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CallInProgress}: the names of what threads are inside of.
 */
class CallInProgressTests {

	/** What reads memory, and what is no function of C. */
	private static final Set<String> WITHOUT_FUNCTION = Set.of("name", "close", "contextOf", "deviceOf", "portNumOf",
			"transportTypeOf");

	private static final RdmaProvider NAMING = (RdmaProvider) Proxy.newProxyInstance(
			RdmaProvider.class.getClassLoader(), new Class<?>[] { RdmaProvider.class }, (proxy, method, arguments) -> {
				throw new Named(CallInProgress.function(Thread.currentThread(), "none"));
			});

	private static String named(Method method) {
		Object[] arguments = Arrays.stream(method.getParameterTypes()).map(CallInProgressTests::zero).toArray();
		try {
			method.invoke(NAMING, arguments);
			throw new IllegalStateException("not named");
		}
		catch (ReflectiveOperationException ex) {
			return String.valueOf(ex.getCause().getMessage());
		}
	}

	private static Object zero(Class<?> type) {
		if (type == long.class) {
			return 0L;
		}
		if (type == boolean.class) {
			return false;
		}
		return (type == int.class) ? 0 : null;
	}

	@Test
	void everyCallOfAProviderThatMayNotReturnHasAName() {
		assertThat(RdmaProvider.class.getMethods()).filteredOn((method) -> !WITHOUT_FUNCTION.contains(method.getName()))
			.allSatisfy((method) -> assertThat(named(method)).as(method.getName()).isNotEqualTo("none"));
	}

	@Test
	void aMethodOfTheApplicationIsNoCFunction() {
		CompletableFuture<String> name = new CompletableFuture<>();
		new Application(() -> name.complete(CallInProgress.function(Thread.currentThread(), "none"))).rdmaProvider();
		assertThat(name.join()).isEqualTo("none");
	}

	/**
	 * Configuration with a bean whose name begins as those of C functions do.
	 *
	 * @param bean makes the bean
	 */
	private record Application(Supplier<Object> bean) {

		private Object rdmaProvider() {
			return this.bean.get();
		}

	}

	/**
	 * The name, on its way out of a proxy.
	 */
	private static final class Named extends RuntimeException {

		private Named(String name) {
			super(name);
		}

	}

}
