package io.github.rdmaboot.provider.jna;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The C field whose offset a constant holds.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
@interface CField {

	/**
	 * The field as C writes it.
	 * @return the field
	 */
	String value();

	/**
	 * The size of the field in bytes, which is the width of every access to it.
	 * @return the size
	 */
	int size();

}
