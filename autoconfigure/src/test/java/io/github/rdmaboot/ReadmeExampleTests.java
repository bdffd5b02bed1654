package io.github.rdmaboot;

import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

import io.github.rdmaboot.autoconfigure.CheckedContexts;
import io.github.rdmaboot.autoconfigure.RdmaAutoConfiguration;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaConnection;
import io.github.rdmaboot.endpoint.RdmaDatagramEndpoint;
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
import org.springframework.context.annotation.ClassPathBeanDefinitionScanner;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compiles and runs the examples of the README as they stand there.
 */
@Timeout(60)
class ReadmeExampleTests {

	@TempDir
	Path folder;

	@Test
	void exampleCompilesAndGetsAnAnswer() throws Exception {
		compile(block("java", "class OrderService"));
		List<PropertySource<?>> yaml = yaml("servers:");
		try (URLClassLoader loader = new URLClassLoader(new URL[] { this.folder.toUri().toURL() })) {
			CheckedContexts.runner()
				.withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
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
		CheckedContexts.runner()
			.withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
			.withBean(RdmaProvider.class, () -> new LoopbackRdmaProvider(fabric))
			.withPropertyValues("rdma.servers.tables.port=7471", "rdma.clients.user.address=192.0.2.10",
					"rdma.clients.user.port=7471")
			.run((context) -> appendRows(context.getBean("tables", RdmaServer.class),
					context.getBean("user", RdmaClient.class)));
	}

	@Test
	void exampleOfDatagramsAsksAPeerAndIsAsked() throws Exception {
		String snippet = block("java", "prices.onDatagram");
		compile("""
				package com.example;

				import java.net.InetAddress;
				import java.nio.ByteBuffer;
				import java.util.concurrent.TimeUnit;

				import io.github.rdmaboot.endpoint.DatagramPeer;
				import io.github.rdmaboot.endpoint.RdmaDatagramEndpoint;

				class Prices {

					static void use(RdmaDatagramEndpoint prices, ByteBuffer question, ByteBuffer news) throws Exception {
				%s
					}

					private static ByteBuffer answer(ByteBuffer data) {
						return ByteBuffer.allocate(data.remaining()).put(data).flip();
					}

				}
				"""
			.formatted(snippet));
		LoopbackFabric fabric = new LoopbackFabric();
		fabric.addAddress(InetAddress.getByName("192.0.2.1"));
		fabric.addAddress(InetAddress.getByName("192.0.2.10"));
		List<PropertySource<?>> yaml = yaml("datagrams:");
		CheckedContexts.runner()
			.withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
			.withBean(RdmaProvider.class, () -> new LoopbackRdmaProvider(fabric))
			.withInitializer((context) -> yaml.forEach(context.getEnvironment().getPropertySources()::addLast))
			.withPropertyValues("rdma.datagrams.asked.address=192.0.2.10", "rdma.datagrams.asked.port=7174",
					"rdma.datagrams.asked.multicast.groups=239.1.2.3")
			.run((context) -> useDatagrams(context.getBean("prices", RdmaDatagramEndpoint.class),
					context.getBean("asked", RdmaDatagramEndpoint.class)));
	}

	private void useDatagrams(RdmaDatagramEndpoint prices, RdmaDatagramEndpoint asked) throws Exception {
		BlockingQueue<String> got = new LinkedBlockingQueue<>();
		asked.onDatagram((datagram) -> {
			String text = StandardCharsets.US_ASCII.decode(datagram.data()).toString();
			got.add(text);
			if (text.equals("question")) {
				datagram.reply(ascii("counter-question"));
			}
		});
		try (URLClassLoader loader = new URLClassLoader(new URL[] { this.folder.toUri().toURL() })) {
			ReflectionTestUtils.invokeMethod(loader.loadClass("com.example.Prices"), "use", prices, ascii("question"),
					ascii("news"));
			List<String> all = List.of("question", "news", "counter-question");
			Awaitility.await().untilAsserted(() -> assertThat(got).containsExactlyInAnyOrderElementsOf(all));
		}
	}

	private static ByteBuffer ascii(String text) {
		return StandardCharsets.US_ASCII.encode(text);
	}

	// The sample compiles the one of a test.
	@Test
	void everyExampleInJavaIsCompiled() {
		assertThat(blocks("java")).allSatisfy((block) -> assertThat(block).containsAnyOf("class OrderService",
				"class SharedTable", "prices.onDatagram", "class EchoFaultsTests"));
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

	private static List<PropertySource<?>> yaml(String text) throws IOException {
		return new YamlPropertySourceLoader().load("README",
				new ByteArrayResource(block("yaml", text).getBytes(StandardCharsets.UTF_8)));
	}

	private static List<String> blocks(String language) {
		return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
			.matcher(String.join("\n", ReadmeTests.readme()))
			.results()
			.map((match) -> match.group(1))
			.toList();
	}

	// The first block of the README in this language that has a text in it.
	private static String block(String language, String text) {
		return blocks(language).stream()
			.filter((block) -> block.contains(text))
			.findFirst()
			.orElseThrow(() -> new AssertionError("The README has no block of " + language + " with " + text));
	}

}
