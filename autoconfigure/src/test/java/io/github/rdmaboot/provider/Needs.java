package io.github.rdmaboot.provider;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the capability that a case of the contract suite is about. On a transport that
 * does not have it, the case must end with the error that its {@link TransportRules}
 * declare.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.TYPE, ElementType.METHOD })
@interface Needs {

	/**
	 * Return the capability.
	 * @return the capability
	 */
	TransportRules.Capability value();

}
