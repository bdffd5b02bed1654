package io.github.rdmaboot;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import com.tngtech.archunit.library.Architectures;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;

/**
 * Holds the layers of the design: each package knows only those below it.
 */
@AnalyzeClasses(packages = "io.github.rdmaboot", importOptions = ImportOption.DoNotIncludeTests.class)
class LayersTests {

	private static final String ROOT = "io.github.rdmaboot.";

	private static final String[] CORE = { ROOT + "endpoint..", ROOT + "cm..", ROOT + "verbs..", ROOT + "provider.." };

	@ArchTest
	final ArchRule eachLayerKnowsOnlyThoseBelowIt = Architectures.layeredArchitecture()
		.consideringOnlyDependenciesInLayers()
		.ensureAllClassesAreContainedInArchitecture()
		.withOptionalLayers(true)
		.layer("autoconfigure")
		.definedBy(ROOT + "autoconfigure..")
		.layer("test")
		.definedBy(ROOT + "test..")
		.layer("health")
		.definedBy(ROOT + "health..")
		.layer("metrics")
		.definedBy(ROOT + "metrics..")
		.layer("actuate")
		.definedBy(ROOT + "actuate..")
		.layer("endpoint")
		.definedBy(ROOT + "endpoint..")
		.layer("cm")
		.definedBy(ROOT + "cm..")
		.layer("verbs")
		.definedBy(ROOT + "verbs..")
		.layer("provider")
		.definedBy(ROOT + "provider")
		.layer("provider.jna")
		.definedBy(ROOT + "provider.jna..")
		.layer("provider.loopback")
		.definedBy(ROOT + "provider.loopback..")
		.whereLayer("autoconfigure")
		.mayNotBeAccessedByAnyLayer()
		.whereLayer("test")
		.mayNotBeAccessedByAnyLayer()
		.whereLayer("health")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("metrics")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("actuate")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("endpoint")
		.mayOnlyBeAccessedByLayers("autoconfigure", "test", "health", "metrics", "actuate")
		.whereLayer("cm")
		.mayOnlyBeAccessedByLayers("autoconfigure", "health", "metrics", "actuate", "endpoint", "verbs")
		.whereLayer("verbs")
		.mayOnlyBeAccessedByLayers("autoconfigure", "health", "metrics", "actuate", "endpoint", "cm")
		.whereLayer("provider.jna")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("provider.loopback")
		.mayOnlyBeAccessedByLayers("autoconfigure", "test")
		.whereLayer("provider")
		.mayOnlyBeAccessedByLayers("autoconfigure", "test", "health", "metrics", "actuate", "endpoint", "cm", "verbs",
				"provider.jna", "provider.loopback");

	@ArchTest
	final ArchRule neighboursDoNotKnowEachOtherBothWays = SlicesRuleDefinition.slices()
		.matching(ROOT + "(*)..")
		.should()
		.beFreeOfCycles()
		.allowEmptyShould(true);

	@ArchTest
	final ArchRule onlyTheJnaProviderUsesJna = ArchRuleDefinition.noClasses()
		.that()
		.resideOutsideOfPackage(ROOT + "provider.jna..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("com.sun.jna..")
		.allowEmptyShould(true);

	@ArchTest
	final ArchRule coreUsesNeitherSpringNorMicrometer = ArchRuleDefinition.noClasses()
		.that()
		.resideInAnyPackage(CORE)
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework..", "io.micrometer..")
		.allowEmptyShould(true);

	@ArchTest
	final ArchRule onlyTheTestSupportUsesTestFrameworks = ArchRuleDefinition.noClasses()
		.that()
		.resideOutsideOfPackage(ROOT + "test..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.test..", "org.springframework.boot.test..", "org.junit..");

}
