package io.github.rdmaboot;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;

/**
 * Holds public types to what is meant for applications: a method of an internal callback
 * that one of them had to implement would be public, and anybody could call it.
 */
@AnalyzeClasses(packages = "io.github.rdmaboot", importOptions = ImportOption.DoNotIncludeTests.class)
class PublicTypesTests {

	private static final String ROOT = "io.github.rdmaboot";

	@ArchTest
	final ArchRule publicTypesImplementNoInternalInterface = ArchRuleDefinition.classes()
		.that()
		.arePublic()
		.should(new ArchCondition<JavaClass>("implement no internal interface") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				type.getAllRawInterfaces()
					.stream()
					.filter(PublicTypesTests::isInternal)
					.forEach((internal) -> events.add(SimpleConditionEvent.violated(type,
							type.getName() + " implements the internal interface " + internal.getSimpleName())));
			}

		});

	@ArchTest
	final ArchRule publicMethodsOfPublicTypesHaveNoInternalTypes = ArchRuleDefinition.classes()
		.that()
		.arePublic()
		.should(new ArchCondition<JavaClass>("have no public method that takes or returns an internal type") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				callable(type).forEach((unit) -> typesOf(unit).stream()
					.filter(PublicTypesTests::isInternal)
					.forEach((internal) -> events.add(SimpleConditionEvent.violated(type, unit.getFullName() + " of "
							+ type.getSimpleName() + " has the internal type " + internal.getSimpleName()))));
			}

		});

	// What is inherited of an internal type can be called as well.
	private static Stream<? extends JavaCodeUnit> callable(JavaClass type) {
		return Stream.concat(type.getAllMethods().stream(), type.getConstructors().stream())
			.filter((unit) -> unit.getOwner().getPackageName().startsWith(ROOT))
			.filter((unit) -> unit.getModifiers().contains(JavaModifier.PUBLIC)
					|| unit.getModifiers().contains(JavaModifier.PROTECTED))
			.filter((unit) -> !unit.getModifiers().contains(JavaModifier.SYNTHETIC));
	}

	private static List<JavaClass> typesOf(JavaCodeUnit unit) {
		List<JavaClass> types = new ArrayList<>(unit.getReturnType().getAllInvolvedRawTypes());
		unit.getParameterTypes().forEach((parameter) -> types.addAll(parameter.getAllInvolvedRawTypes()));
		return types;
	}

	private static boolean isInternal(JavaClass type) {
		return type.getPackageName().startsWith(ROOT) && !type.getModifiers().contains(JavaModifier.PUBLIC);
	}

}
