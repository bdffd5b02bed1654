package io.github.rdmaboot.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.provider.RdmaUnavailableException;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for an application whose class path has none of the optional dependencies, JNA
 * among them.
 */
class StarterOnlyClassPathTests {

	private static final Pattern OPTIONAL = Pattern.compile(".*(micrometer|actuator|spring-boot-health|jackson|jna"
			+ "|prometheus|opentelemetry|protobuf|tomcat|servlet|spring-web|spring-boot-web|HdrHistogram|junit|mockito"
			+ "|assertj|archunit|awaitility|spring-test|spring-boot-test).*\\.jar");

	@Test
	void optionalDependenciesAreAbsent() throws IOException {
		try (URLClassLoader loader = loader()) {
			for (String absent : new String[] { "com.sun.jna.Native", "io.micrometer.core.instrument.MeterRegistry",
					"org.springframework.boot.health.contributor.Health",
					"org.springframework.boot.actuate.endpoint.annotation.Endpoint" }) {
				assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> loader.loadClass(absent));
			}
		}
	}

	@Test
	void endpointsStartAndStop() throws Exception {
		assertThat(run("--rdma.provider=loopback")).contains("the server was UP, then IDLE").doesNotContain("WARN");
	}

	@Test
	void autoFallsBackToLoopbackWithOneWarning() throws Exception {
		assertThat(run("--rdma.provider=auto")).containsOnlyOnce("WARN")
			.contains("no other process can connect")
			.contains("net.java.dev.jna:jna")
			.contains("the server was UP, then IDLE");
	}

	@Test
	void theNativeProviderIsExplainedToNeedJna() throws Exception {
		assertThat(run("--rdma.provider=native")).contains("APPLICATION FAILED TO START")
			.contains("RDMA cannot be used")
			.contains("net.java.dev.jna:jna")
			.contains("the application failed with RdmaUnavailableException")
			.doesNotContain("NoClassDefFoundError")
			.doesNotContain("\tat ");
	}

	private static String run(String argument) throws Exception {
		Thread current = Thread.currentThread();
		ClassLoader before = current.getContextClassLoader();
		try (URLClassLoader loader = loader(); ConsoleOutput output = new ConsoleOutput()) {
			current.setContextClassLoader(loader);
			Consumer<String> application = application(loader);
			application.accept(argument);
			return output.toString();
		}
		finally {
			current.setContextClassLoader(before);
		}
	}

	@SuppressWarnings("unchecked")
	private static Consumer<String> application(ClassLoader loader) throws ReflectiveOperationException {
		return (Consumer<String>) loader.loadClass(Application.class.getName()).getDeclaredConstructor().newInstance();
	}

	private static URLClassLoader loader() {
		return new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader());
	}

	private static URL[] classPath() {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !OPTIONAL.matcher(new File(entry).getName()).matches())
			.map(StarterOnlyClassPathTests::url)
			.toArray(URL[]::new);
	}

	private static URL url(String entry) {
		try {
			return new File(entry).toURI().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalStateException("Not a class path entry: " + entry, ex);
		}
	}

	/**
	 * Loaded a second time, by the class loader that lacks the optional dependencies.
	 */
	public static final class Application implements Consumer<String> {

		@Override
		public void accept(String argument) {
			SpringApplicationBuilder builder = new SpringApplicationBuilder(Empty.class).web(WebApplicationType.NONE);
			RdmaServer server;
			EndpointState started;
			try (ConfigurableApplicationContext context = builder.run(argument, "--rdma.servers.echo.port=0")) {
				server = context.getBean("echo", RdmaServer.class);
				started = server.state();
			}
			catch (RuntimeException ex) {
				Throwable cause = ex;
				while (cause.getCause() != null && !(cause instanceof RdmaUnavailableException)) {
					cause = cause.getCause();
				}
				System.out.println("the application failed with " + cause.getClass().getSimpleName());
				return;
			}
			System.out.println("the server was " + started + ", then " + server.state());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Empty {

	}

}
