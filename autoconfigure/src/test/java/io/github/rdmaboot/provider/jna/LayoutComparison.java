package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Compares numbers that Java code holds with what a C compiler makes of expressions.
 */
class LayoutComparison {

	private static final String HEADERS = """
			#include <errno.h>
			#include <fcntl.h>
			#include <poll.h>
			#include <stddef.h>
			#include <stdio.h>
			#include <netinet/in.h>
			#include <sys/eventfd.h>
			#include <sys/resource.h>
			#include <sys/socket.h>
			#include <infiniband/verbs.h>
			#include <rdma/rdma_cma.h>

			""";

	private final Map<String, Long> expected = new LinkedHashMap<>();

	/**
	 * Add an expression.
	 * @param expression the C expression
	 * @param value the number that Java code holds for it
	 */
	void add(String expression, long value) {
		this.expected.put(expression, value);
	}

	/**
	 * Add all constants of a class that holds a layout.
	 * @param layout the class
	 */
	void addLayout(Class<?> layout) throws IllegalAccessException {
		CStruct struct = layout.getDeclaredAnnotation(CStruct.class);
		for (Field field : layout.getDeclaredFields()) {
			if (!Modifier.isStatic(field.getModifiers()) || field.isSynthetic()) {
				continue;
			}
			field.setAccessible(true);
			CField cField = field.getDeclaredAnnotation(CField.class);
			if (cField != null) {
				add("offsetof(%s, %s)".formatted(struct.value(), cField.value()), field.getInt(null));
				add("sizeof(((%s *) 0)->%s)".formatted(struct.value(), cField.value()), cField.size());
			}
			else if (field.getName().equals("SIZE")) {
				add("sizeof(%s)".formatted(struct.value()), field.getInt(null));
			}
			else {
				throw new IllegalStateException(field + " has no @CField, so nothing checks it");
			}
		}
	}

	int size() {
		return this.expected.size();
	}

	/**
	 * Compile and run a program that prints what the compiler makes of the expressions.
	 * @param directory a folder for the program
	 * @return the differences
	 */
	List<String> differences(Path directory) throws IOException, InterruptedException {
		Path source = directory.resolve("layout.c");
		Path program = directory.resolve("layout");
		StringBuilder code = new StringBuilder(HEADERS).append("int main(void)\n{\n");
		this.expected.keySet()
			.forEach((expression) -> code.append("\tprintf(\"%lld\\n\", (long long) (")
				.append(expression)
				.append("));\n"));
		Files.writeString(source, code.append("\treturn 0;\n}\n"));
		run("gcc", "-D_GNU_SOURCE", "-o", program.toString(), source.toString());
		List<String> printed = run(program.toString());
		List<String> differences = new ArrayList<>();
		int line = 0;
		for (Map.Entry<String, Long> entry : this.expected.entrySet()) {
			long actual = Long.parseLong(printed.get(line++));
			if (actual != entry.getValue()) {
				differences.add(entry.getKey() + " is " + actual + " but Java has " + entry.getValue());
			}
		}
		return differences;
	}

	private static List<String> run(String... command) throws IOException, InterruptedException {
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes());
		if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
			throw new IllegalStateException(String.join(" ", command) + " failed:\n" + output);
		}
		return output.lines().toList();
	}

}
