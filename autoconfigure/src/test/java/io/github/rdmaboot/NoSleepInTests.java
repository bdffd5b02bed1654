package io.github.rdmaboot;

import java.util.concurrent.TimeUnit;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;

/**
 * Keeps tests waiting for conditions, not for time.
 */
@AnalyzeClasses(packages = "io.github.rdmaboot", importOptions = ImportOption.OnlyIncludeTests.class)
class NoSleepInTests {

	@ArchTest
	final ArchRule testsAwaitConditionsInsteadOfSleeping = ArchRuleDefinition.noClasses()
		.should()
		.callMethod(Thread.class, "sleep", long.class)
		.orShould()
		.callMethod(Thread.class, "sleep", long.class, int.class)
		.orShould()
		.callMethod(TimeUnit.class, "sleep", long.class)
		.because("a condition can be awaited with Awaitility or a latch");

}
