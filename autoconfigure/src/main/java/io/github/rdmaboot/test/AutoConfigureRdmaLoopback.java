package io.github.rdmaboot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackFaults;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.PropertyMapping;

/**
 * Gives the application context of a test class a loopback fabric of its own, on which
 * its RDMA endpoints run whatever {@code rdma.provider} says. Goes with
 * {@code @SpringBootTest} and with test slices.
 * <p>
 * The beans {@link LoopbackFabric} and {@link LoopbackFaults} are there for injection.
 * Ports are those of the fabric: the same port in two contexts is no conflict, nor is one
 * that another process uses. The property {@code local.rdma.<name>.port} is the port that
 * the server endpoint of that name listens on at the time, also when 0 is configured. It
 * does not exist while the server does not listen.
 * <p>
 * Tests may share the context, so after each test method all faults of the network are
 * healed and a removed device is put back. A server that listens on one address and lost
 * its device listens again a moment later, unless {@code relisten.enabled} is
 * {@code false}. A clock from {@link LoopbackFabric#useVirtualClock()} is the test's to
 * close.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
@PropertyMapping("rdma.test.loopback")
public @interface AutoConfigureRdmaLoopback {

	/**
	 * Addresses that the fabric has besides those of this host, so that clients find
	 * their peers where the application expects them.
	 * @return IPv4 or IPv6 addresses
	 */
	String[] addresses() default {};

}
