package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Files as the kernel shows them on a machine with one soft-RoCE device, to be changed by
 * tests.
 */
class FixtureTree {

	private final Path root;

	FixtureTree(Path root) {
		this.root = root;
	}

	static FixtureTree withOneDevice(Path root) {
		return new FixtureTree(root).file("sys/class/infiniband_verbs/abi_version", "6\n")
			.file("sys/class/infiniband_verbs/uverbs0/ibdev", "rxe0\n")
			.file("sys/class/misc/rdma_cm/abi_version", "4\n")
			.file("dev/infiniband/rdma_cm", "")
			.file("dev/infiniband/uverbs0", "")
			.file("sys/class/infiniband/rxe0/node_type", "1: CA\n")
			.file("sys/class/infiniband/rxe0/ports/1/state", "4: ACTIVE\n")
			.file("sys/class/infiniband/rxe0/ports/1/link_layer", "Ethernet\n")
			.file("sys/class/infiniband/rxe0/ports/1/gid_attrs/ndevs/0", "eth0\n")
			.file("sys/class/infiniband/rxe0/ports/1/gid_attrs/ndevs/1", "eth0\n");
	}

	FixtureTree file(String name, String content) {
		try {
			Path file = this.root.resolve(name);
			Files.createDirectories(file.getParent());
			Files.writeString(file, content);
			return this;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	FixtureTree without(String name) {
		try {
			Path path = this.root.resolve(name);
			if (Files.isDirectory(path)) {
				try (var children = Files.list(path)) {
					children.forEach((child) -> without(this.root.relativize(child).toString()));
				}
			}
			Files.delete(path);
			return this;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	Path path(String name) {
		return this.root.resolve(name);
	}

	DeviceTree devices() {
		return new DeviceTree(this.root);
	}

}
