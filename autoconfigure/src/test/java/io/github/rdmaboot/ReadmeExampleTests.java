package io.github.rdmaboot;

import java.io.StringWriter;
import java.net.InetAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

import io.github.rdmaboot.autoconfigure.RdmaAutoConfiguration;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
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
		compile(block("java"));
		List<PropertySource<?>> yaml = new YamlPropertySourceLoader().load("README",
				new ByteArrayResource(block("yaml").getBytes(StandardCharsets.UTF_8)));
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

	// The first block of the README in this language.
	private static String block(String language) {
		var block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
			.matcher(String.join("\n", ReadmeTests.readme()));
		assertThat(block.find()).as("block of %s in the README", language).isTrue();
		return block.group(1);
	}

}
