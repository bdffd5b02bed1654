package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.util.Map;
import java.util.jar.JarFile;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs with the classes from the jar that applications use, and so with those for newer
 * Java where it has them.
 */
class PackagedJarTests {

	private static final String NEWER = "META-INF/versions/22/io/github/rdmaboot/provider/jna/";

	private final String jar = System.getProperty("packaged.jar", "the jar, which the build sets when it is there");

	private final boolean builtForNewer = Boolean.getBoolean("packaged.java-22");

	@Test
	void theClassesComeFromTheJar() {
		assertThat(CallPath.class.getProtectionDomain().getCodeSource().getLocation().getPath()).isEqualTo(this.jar);
	}

	@Test
	void theJarHasClassesForNewerJavaIfItsCompilerCould() throws IOException {
		try (JarFile file = new JarFile(this.jar)) {
			assertThat(file.isMultiRelease()).isEqualTo(this.builtForNewer);
			assertThat(file.getEntry(NEWER + "ForeignFunctions.class") != null).isEqualTo(this.builtForNewer);
			assertThat(file.getEntry(NEWER + "ForeignFunctionCalls.class") != null).isEqualTo(this.builtForNewer);
		}
	}

	@Test
	void newerJavaTakesTheForeignFunctionApiAndOlderJna() {
		boolean foreign = this.builtForNewer && Runtime.version().feature() >= 22;
		assertThat(CallPath.choose()).isEqualTo(foreign ? CallPath.FOREIGN : CallPath.JNA);
		assertThat(CallPath.choose().calls().getClass().getSimpleName())
			.isEqualTo(foreign ? "ForeignFunctionCalls" : "JnaFunctionCalls");
	}

	@Test
	void theSystemPropertyForcesJna() {
		String before = System.setProperty(CallPath.PROPERTY, "jna");
		try {
			assertThat(CallPath.choose()).isEqualTo(CallPath.JNA);
			assertThat(CallPath.choose().calls()).isInstanceOf(JnaFunctionCalls.class);
		}
		finally {
			System.getProperties().remove(CallPath.PROPERTY);
			System.getProperties().putAll((before != null) ? Map.of(CallPath.PROPERTY, before) : Map.of());
		}
	}

}
