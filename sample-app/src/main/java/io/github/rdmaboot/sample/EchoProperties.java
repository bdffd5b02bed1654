package io.github.rdmaboot.sample;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of the sample.
 *
 * @param timeout Limit of an echo, time in the queue included.
 */
@ConfigurationProperties("sample.echo")
record EchoProperties(@DefaultValue("5s") Duration timeout) {

}
