package io.github.rdmaboot.provider.jna;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The C type whose layout a class holds; a test compares the class with a C compiler.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface CStruct {

	/**
	 * The type as C writes it.
	 * @return the type
	 */
	String value();

}
