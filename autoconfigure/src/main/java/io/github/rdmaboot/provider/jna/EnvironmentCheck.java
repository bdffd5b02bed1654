package io.github.rdmaboot.provider.jna;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import io.github.rdmaboot.provider.RdmaUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Tells from the kernel's files why RDMA cannot be used. The libraries do not: they give
 * the same errno for different reasons.
 */
final class EnvironmentCheck {

	private static final Set<String> VERBS_ABI_VERSIONS = Set.of("3", "4", "5", "6");

	private static final Set<String> CM_ABI_VERSIONS = Set.of("3", "4");

	private final DeviceTree tree;

	private final Predicate<Path> accessible;

	/**
	 * Create the check.
	 * @param tree the kernel's files
	 * @param accessible tells whether this process may read and write a file
	 */
	EnvironmentCheck(DeviceTree tree, Predicate<Path> accessible) {
		this.tree = tree;
		this.accessible = accessible;
	}

	static boolean isAccessible(Path file) {
		return Files.isReadable(file) && Files.isWritable(file);
	}

	/**
	 * Check everything that files show.
	 * @throws RdmaUnavailableException for the first thing that is missing
	 */
	void requireUsable() {
		List<String> devices = this.tree.deviceNames();
		if (!this.tree.hasVerbs()) {
			throw Unavailability.noKernelSupport(devices);
		}
		requireKnown("verbs", this.tree.verbsAbiVersion(), VERBS_ABI_VERSIONS);
		if (devices.isEmpty()) {
			throw Unavailability.noDevice();
		}
		String cmAbiVersion = this.tree.cmAbiVersion();
		if (cmAbiVersion == null) {
			throw Unavailability.cmModuleMissing();
		}
		requireKnown("connection manager", cmAbiVersion, CM_ABI_VERSIONS);
		requireAccessible(List.of(this.tree.cmNode()));
		requireAccessible(this.tree.deviceNodes());
	}

	private static void requireKnown(String interfaceName, @Nullable String version, Set<String> known) {
		if (version != null && !known.contains(version)) {
			throw Unavailability.kernelAbiUnknown(interfaceName, version);
		}
	}

	// One device is enough: others may be meant for other programs.
	private void requireAccessible(List<Path> nodes) {
		if (nodes.isEmpty() || nodes.stream().anyMatch(this.accessible)) {
			return;
		}
		Path node = nodes.stream().filter(Files::exists).findFirst().orElse(nodes.get(0));
		throw Files.exists(node) ? Unavailability.nodeNotAccessible(node) : Unavailability.nodeMissing(node);
	}

}
