package io.github.rdmaboot.sample;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest
class RdmaSampleApplicationTests {

	@Test
	void contextStarts(@Autowired ConfigurableApplicationContext context) {
		assertThat(context.isRunning()).isTrue();
	}

}
