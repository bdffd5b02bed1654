package io.github.rdmaboot.autoconfigure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.json.JsonParserFactory;
import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the generated metadata of {@link RdmaProperties}.
 */
class ConfigurationMetadataTests {

	@Test
	void everyPropertyIsOursAndDescribed() throws IOException {
		List<Map<String, Object>> properties = section("properties");
		assertThat(properties).extracting((property) -> property.get("name"))
			.contains("rdma.enabled", "rdma.provider", "rdma.call-timeout", "rdma.servers", "rdma.clients",
					"rdma.lifecycle.phase", "rdma.lifecycle.auto-startup", "rdma.shutdown.timeout",
					"rdma.shutdown.disconnect-grace", "rdma.shutdown.drain-timeout", "rdma.shutdown.destroy-timeout",
					"rdma.metrics.export-on-shutdown");
		assertThat(properties).allSatisfy((property) -> {
			assertThat((String) property.get("name")).matches("(management\\.(health|endpoint)\\.)?rdma\\..*");
			assertThat((String) property.get("description")).as("description of %s", property.get("name"))
				.isNotBlank()
				.endsWith(".");
		});
	}

	@Test
	void namesOfEndpointsAreHinted() throws IOException {
		assertThat(section("hints")).extracting((hint) -> hint.get("name"))
			.contains("rdma.servers.keys", "rdma.clients.keys");
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> section(String name) throws IOException {
		String json = new ClassPathResource("META-INF/spring-configuration-metadata.json")
			.getContentAsString(StandardCharsets.UTF_8)
			.replaceAll("\\s*\\R\\s*", "");
		return (List<Map<String, Object>>) JsonParserFactory.getJsonParser().parseMap(json).get(name);
	}

}
