package io.github.rdmaboot.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * Starts the sample.
 */
@SpringBootApplication
public class RdmaSampleApplication {

	public static void main(String[] args) {
		SpringApplication.run(RdmaSampleApplication.class, args);
	}

}
