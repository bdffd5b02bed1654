package io.github.rdmaboot.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/**
 * Starts the sample.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class RdmaSampleApplication {

	public static void main(String[] args) {
		SpringApplication.run(RdmaSampleApplication.class, args);
	}

}
