package io.github.rdmaboot.provider;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Asserts that a case which {@link Needs} what its transport does not have ends with the
 * error that the transport declares.
 */
final class DeclaredRefusals implements InvocationInterceptor {

	@Override
	public void interceptTestMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method,
			ExtensionContext context) throws Throwable {
		run(invocation, method);
	}

	@Override
	public void interceptTestTemplateMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method,
			ExtensionContext context) throws Throwable {
		run(invocation, method);
	}

	private static void run(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method) throws Throwable {
		Errno refusal = refusal(method);
		if (refusal == null) {
			invocation.proceed();
		}
		else {
			RdmaProviderContract.assertErrno(refusal, invocation::proceed);
		}
	}

	private static @Nullable Errno refusal(ReflectiveInvocationContext<Method> method) {
		return AnnotationSupport.findAnnotation(method.getExecutable(), Needs.class)
			.or(() -> AnnotationSupport.findAnnotation(method.getTargetClass(), Needs.class))
			.flatMap((needs) -> method.getTarget()
				.map((target) -> ((RdmaProviderContract) target).rules().refusal(needs.value())))
			.orElse(null);
	}

}
