package io.github.rdmaboot;

import java.io.StringWriter;
import java.net.InetAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

import io.github.rdmaboot.autoconfigure.RdmaAutoConfiguration;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaConnection;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.endpoint.RegisteredMemory;
import io.github.rdmaboot.endpoint.RemoteMemory;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.ClassPathBeanDefinitionScanner;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compiles and runs the example of the README as it stands there.
 */
@Timeout(60)
class ReadmeExampleTests {

	@TempDir
	Path folder;

	@Test
	void exampleCompilesAndGetsAnAnswer() throws Exception {
		compile(block("java", "class OrderService"));
		List<PropertySource<?>> yaml = new YamlPropertySourceLoader().load("README",
				new ByteArrayResource(block("yaml", "rdma:").getBytes(StandardCharsets.UTF_8)));
		try (URLClassLoader loader = new URLClassLoader(new URL[] { this.folder.toUri().toURL() })) {
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
				.withBean(RdmaProvider.class, ReadmeExampleTests::provider)
				.withInitializer((context) -> {
					yaml.forEach(context.getEnvironment().getPropertySources()::addLast);
					scan((GenericApplicationContext) context, loader);
				})
				.run((context) -> {
					assertThat(context).hasNotFailed();
					context.getBean("stock", RdmaClient.class).connect().get(10, TimeUnit.SECONDS);
					byte[] answer = ReflectionTestUtils.invokeMethod(context.getBean("orderService"), "ask",
							(Object) new byte[] { 1, 2, 3 });
					assertThat(answer).containsExactly(1, 2, 3);
				});
		}
	}

	@Test
	void exampleOfRemoteMemoryAppendsRowsToTheTableOfThePeer() throws Exception {
		compile(block("java", "class SharedTable"));
		LoopbackFabric fabric = new LoopbackFabric();
		fabric.addAddress(InetAddress.getByName("192.0.2.10"));
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
			.withBean(RdmaProvider.class, () -> new LoopbackRdmaProvider(fabric))
			.withPropertyValues("rdma.servers.tables.port=7471", "rdma.clients.user.address=192.0.2.10",
					"rdma.clients.user.port=7471")
			.run((context) -> appendRows(context.getBean("tables", RdmaServer.class),
					context.getBean("user", RdmaClient.class)));
	}

	private void appendRows(RdmaServer server, RdmaClient client) throws Exception {
		RdmaConnection connection = client.connect().get(10, TimeUnit.SECONDS);
		Awaitility.await().until(() -> server.connections().stream().anyMatch(RdmaConnection::isOpen));
		try (URLClassLoader loader = new URLClassLoader(new URL[] { this.folder.toUri().toURL() })) {
			Class<?> example = loader.loadClass("com.example.SharedTable");
			RegisteredMemory table = ReflectionTestUtils.invokeMethod(example, "offer",
					server.connections().iterator().next());
			RemoteMemory remote = ReflectionTestUtils.invokeMethod(example, "find", connection);
			byte[] row = new byte[64];
			for (byte i = 0; i < 3; i++) {
				Arrays.fill(row, i);
				assertThat(ReflectionTestUtils.<Long>invokeMethod(example, "append", connection, remote, row))
					.isEqualTo(i);
			}
			byte[] last = new byte[64];
			table.data().get(64 * 3, last);
			assertThat(last).containsOnly(2);
		}
	}

	// The way in which an application finds it, which gives it its bean's name.
	private static void scan(GenericApplicationContext context, ClassLoader loader) {
		context.setClassLoader(loader);
		ClassPathBeanDefinitionScanner scanner = new ClassPathBeanDefinitionScanner(context);
		scanner.setResourceLoader(new DefaultResourceLoader(loader));
		assertThat(scanner.scan("com.example")).isPositive();
	}

	private static RdmaProvider provider() {
		LoopbackFabric fabric = new LoopbackFabric();
		try {
			fabric.addAddress(InetAddress.getByName("192.0.2.10"));
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException(ex);
		}
		return new LoopbackRdmaProvider(fabric);
	}

	private void compile(String source) throws Exception {
		var type = Pattern.compile("class (\\w+)").matcher(source);
		assertThat(type.find()).isTrue();
		Path file = Files.writeString(this.folder.resolve(type.group(1) + ".java"), source);
		var compiler = ToolProvider.getSystemJavaCompiler();
		StringWriter output = new StringWriter();
		try (var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
			boolean compiled = compiler
				.getTask(output, files, null, List.of("-proc:none", "-parameters", "-d", this.folder.toString(), "-cp",
						System.getProperty("java.class.path")), null, files.getJavaFileObjects(file))
				.call();
			assertThat(compiled).as(output.toString()).isTrue();
		}
	}

	// The first block of the README in this language that has a text in it.
	private static String block(String language, String text) {
		return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
			.matcher(String.join("\n", ReadmeTests.readme()))
			.results()
			.map((match) -> match.group(1))
			.filter((block) -> block.contains(text))
			.findFirst()
			.orElseThrow(() -> new AssertionError("The README has no block of " + language + " with " + text));
	}

}
