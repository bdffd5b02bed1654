package io.github.rdmaboot.provider.jna;

import org.jspecify.annotations.Nullable;

/**
 * The ways to call C functions through their address. Which one a provider takes makes no
 * difference but in time.
 */
enum CallPath {

	/** Through JNA, with any Java. */
	JNA {

		@Override
		FunctionCalls calls() {
			return new JnaFunctionCalls();
		}

	},

	/** Through the foreign function API of Java 22 and newer. */
	FOREIGN {

		@Override
		FunctionCalls calls() {
			FunctionCalls calls = ForeignFunctions.calls();
			if (calls == null) {
				throw new IllegalStateException("This Java has no foreign function API that may be used");
			}
			return calls;
		}

	};

	/** System property that decides, where something has to be decided by hand. */
	static final String PROPERTY = "io.github.rdmaboot.calls";

	/**
	 * Return calls for one thread.
	 * @return the calls
	 */
	abstract FunctionCalls calls();

	/**
	 * Choose a way.
	 * @return the way that the system property names, otherwise the fastest one
	 */
	static CallPath choose() {
		return choose(System.getProperty(PROPERTY), ForeignFunctions.calls() != null);
	}

	/**
	 * Choose a way.
	 * @param wish {@code jna}, {@code auto} or {@code null}, which is the same
	 * @param foreign whether there is a choice
	 * @return the way
	 */
	static CallPath choose(@Nullable String wish, boolean foreign) {
		if (wish == null || wish.equals("auto")) {
			return foreign ? FOREIGN : JNA;
		}
		if (wish.equals("jna")) {
			return JNA;
		}
		throw new IllegalArgumentException("System property " + PROPERTY + " is '" + wish
				+ "': set it to 'jna', or to 'auto', which is the default");
	}

}
