package io.github.rdmaboot;

import java.io.IOException;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.rdmaboot.autoconfigure.RdmaProperties;
import io.github.rdmaboot.endpoint.CheckedEndpoints;
import io.github.rdmaboot.endpoint.CompletionSettings;
import io.github.rdmaboot.endpoint.ConnectionSettings;
import io.github.rdmaboot.endpoint.MemorySettings;
import io.github.rdmaboot.endpoint.QueuePairSettings;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.ServerSettings;
import io.github.rdmaboot.endpoint.ShutdownSettings;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.metrics.RdmaMetrics;
import io.github.rdmaboot.provider.RdmaUnavailableException;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.DefaultValue;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the tables of the README to the code.
 */
class ReadmeTests {

	private static final Pattern CODE = Pattern.compile("`([^`]*)`");

	private static final Set<String> REQUIRED = Set.of("rdma.servers.<name>.port", "rdma.clients.<name>.address",
			"rdma.clients.<name>.port", "rdma.datagrams.<name>.address");

	@Test
	void tableOfPropertiesIsComplete() {
		Map<String, String> documented = new TreeMap<>();
		for (List<String> row : rows("property")) {
			for (String property : expand(code(row.get(0)))) {
				documented.put(property, row.get(1).replace("`", ""));
			}
		}
		Map<String, String> expected = new TreeMap<>();
		collect("rdma", RdmaProperties.class, expected);
		assertThat(documented).isEqualTo(expected);
	}

	@Test
	void tableOfPropertiesHasAllOfTheMetadata() throws IOException {
		String metadata;
		try (var in = RdmaProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			assertThat(in).isNotNull();
			metadata = new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		List<String> documented = rows("property").stream().map((row) -> code(row.get(0))).toList();
		Matcher name = Pattern.compile("\"name\": \"(rdma\\.[a-z.-]+)\",\\s+\"type\": \"java.(lang|time)")
			.matcher(metadata);
		List<String> names = new ArrayList<>();
		while (name.find()) {
			names.add(name.group(1));
		}
		assertThat(names).isNotEmpty();
		assertThat(documented).containsAll(names);
	}

	@Test
	void tableOfMetersIsComplete() {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		try (RdmaEndpoints endpoints = CheckedEndpoints.create(() -> new LoopbackRdmaProvider(LoopbackFabric.shared()),
				new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(3), Duration.ofSeconds(2),
						Duration.ofSeconds(5)),
				null)) {
			endpoints.addServer(new ServerSettings("echo", "*", 0, 0, new QueuePairSettings(16, 16, 1, 1, 0),
					new ConnectionSettings(1, 1, 6, 7, new byte[0], null, null), new MemorySettings(16384, 16),
					CompletionSettings.defaults()));
			new RdmaMetrics(endpoints).bindTo(registry);
			TreeSet<String> meters = registry.getMeters()
				.stream()
				.map(ReadmeTests::describe)
				.collect(Collectors.toCollection(TreeSet::new));
			TreeSet<String> documented = rows("meter").stream()
				.map((row) -> code(row.get(0)) + " " + row.get(1) + " " + new TreeSet<>(codes(row.get(2))))
				.collect(Collectors.toCollection(TreeSet::new));
			assertThat(documented).isEqualTo(meters);
		}
	}

	@Test
	void everyStepOfADestroyIsInTheTableInItsOrder() {
		List<String> documented = rows("step").stream().flatMap((row) -> codes(row.get(0)).stream()).toList();
		assertThat(documented)
			.containsExactlyElementsOf(Arrays.stream(DestroyStepName.values()).map(DestroyStepName::tag).toList());
	}

	@Test
	void everyReasonWhyRdmaCannotBeUsedHasARemedy() {
		List<String> documented = rows("it says").stream().flatMap((row) -> codes(row.get(0)).stream()).toList();
		assertThat(documented).containsAll(Arrays.stream(RdmaUnavailableException.Cause.values())
			.map(RdmaUnavailableException.Cause::name)
			.toList());
	}

	private static String describe(Meter meter) {
		String type = switch (meter.getId().getType()) {
			case LONG_TASK_TIMER -> "long task timer";
			default -> meter.getId().getType().name().toLowerCase(Locale.ROOT);
		};
		return meter.getId().getName() + " " + type + " "
				+ meter.getId().getTags().stream().map(Tag::getKey).collect(Collectors.toCollection(TreeSet::new));
	}

	private static void collect(String prefix, Class<?> type, Map<String, String> properties) {
		for (Parameter component : type.getDeclaredConstructors()[0].getParameters()) {
			String name = prefix + "." + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
			if (component.getParameterizedType() instanceof ParameterizedType map && map.getRawType() == Map.class) {
				collect(name + ".<name>", (Class<?>) map.getActualTypeArguments()[1], properties);
			}
			else if (component.getType().isRecord()) {
				collect(name, component.getType(), properties);
			}
			else {
				properties.put(name, describe(name, component.getAnnotation(DefaultValue.class)));
			}
		}
	}

	private static String describe(String name, DefaultValue value) {
		if (value == null) {
			boolean required = REQUIRED.contains(name);
			return required ? "required" : "–";
		}
		String text = String.join(",", value.value());
		return text.isEmpty() ? "–" : text;
	}

	// The rows of the table whose first heading is this one.
	private static List<List<String>> rows(String heading) {
		List<List<String>> rows = new ArrayList<>();
		boolean inTable = false;
		for (String line : readme()) {
			if (line.startsWith("| " + heading + " |")) {
				inTable = true;
			}
			else if (!line.startsWith("|")) {
				inTable = false;
			}
			else if (inTable && !line.startsWith("| ---")) {
				rows.add(Arrays.stream(line.substring(1).split("\\|")).map(String::trim).toList());
			}
		}
		assertThat(rows).as("rows of the table '%s'", heading).isNotEmpty();
		return rows;
	}

	static List<String> readme() {
		Path folder = Path.of("").toAbsolutePath();
		while (!Files.exists(folder.resolve("README.md"))) {
			folder = folder.getParent();
			assertThat(folder).as("folder with README.md").isNotNull();
		}
		try {
			return Files.readAllLines(folder.resolve("README.md"));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static List<String> codes(String cell) {
		return CODE.matcher(cell).results().map((match) -> match.group(1)).toList();
	}

	private static String code(String cell) {
		List<String> codes = codes(cell);
		assertThat(codes).as("names in '%s'", cell).hasSize(1);
		return codes.get(0);
	}

	private static List<String> expand(String property) {
		int open = property.indexOf('{');
		if (open < 0) {
			return List.of(property);
		}
		int close = property.indexOf('}');
		return Arrays.stream(property.substring(open + 1, close).split(","))
			.map((part) -> property.substring(0, open) + part + property.substring(close + 1))
			.toList();
	}

}
