package io.github.rdmaboot.autoconfigure;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.regex.Pattern;

import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaServer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that an application runs with none of the optional dependencies, on a class path
 * that does not have them.
 */
class StarterOnlyClassPathTests {

	private static final Pattern OPTIONAL = Pattern.compile(".*(micrometer|actuator|spring-boot-health|jackson|jna"
			+ "|prometheus|HdrHistogram|junit|mockito|assertj|archunit|awaitility|spring-test|spring-boot-test).*\\.jar");

	@Test
	void endpointsStartAndStopWithoutActuatorMicrometerAndJna() throws Exception {
		try (URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
			for (String absent : new String[] { "com.sun.jna.Native", "io.micrometer.core.instrument.MeterRegistry",
					"org.springframework.boot.health.contributor.Health",
					"org.springframework.boot.actuate.endpoint.annotation.Endpoint" }) {
				assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> loader.loadClass(absent));
			}
			Runnable application = (Runnable) loader.loadClass(Application.class.getName())
				.getDeclaredConstructor()
				.newInstance();
			Thread current = Thread.currentThread();
			ClassLoader before = current.getContextClassLoader();
			current.setContextClassLoader(loader);
			try {
				application.run();
			}
			finally {
				current.setContextClassLoader(before);
			}
		}
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
	public static final class Application implements Runnable {

		@Override
		public void run() {
			RdmaServer server;
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Empty.class)
				.web(WebApplicationType.NONE)
				.run("--rdma.provider=auto", "--rdma.servers.echo.port=0")) {
				server = context.getBean("echo", RdmaServer.class);
				expect(server, EndpointState.UP);
			}
			expect(server, EndpointState.IDLE);
		}

		private static void expect(RdmaServer server, EndpointState expected) {
			if (server.state() != expected) {
				throw new IllegalStateException("The server is " + server.state() + " and not " + expected);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Empty {

	}

}
