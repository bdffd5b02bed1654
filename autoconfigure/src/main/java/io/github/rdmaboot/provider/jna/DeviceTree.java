package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.github.rdmaboot.provider.DeviceDescription;
import org.jspecify.annotations.Nullable;

/**
 * RDMA devices as the kernel shows them under {@code /sys} and {@code /dev}; opens none.
 */
final class DeviceTree {

	private final Path devices;

	private final Path verbs;

	private final Path cmAbiVersion;

	private final Path nodes;

	/**
	 * Create the view.
	 * @param root the directory that holds {@code sys} and {@code dev}
	 */
	DeviceTree(Path root) {
		Path classes = root.resolve("sys/class");
		this.devices = classes.resolve("infiniband");
		this.verbs = classes.resolve("infiniband_verbs");
		this.cmAbiVersion = classes.resolve("misc/rdma_cm/abi_version");
		this.nodes = root.resolve("dev/infiniband");
	}

	/**
	 * Describe the devices.
	 * @return the devices by name
	 */
	List<DeviceDescription> describe() {
		return entries(this.devices).stream().map(this::describe).toList();
	}

	private DeviceDescription describe(Path device) {
		List<DeviceDescription.Port> ports = entries(device.resolve("ports")).stream()
			.sorted(Comparator.comparingInt(DeviceTree::number))
			.map((port) -> describePort(device, port))
			.toList();
		return new DeviceDescription(name(device), meaning(device.resolve("node_type")), ports);
	}

	private DeviceDescription.Port describePort(Path device, Path port) {
		TreeSet<String> networkDevices = new TreeSet<>();
		for (Path entry : entries(port.resolve("gid_attrs/ndevs"))) {
			String networkDevice = read(entry);
			if (networkDevice != null) {
				networkDevices.add(networkDevice);
			}
		}
		if (networkDevices.isEmpty()) {
			entries(device.resolve("device/net")).forEach((entry) -> networkDevices.add(name(entry)));
		}
		String linkLayer = read(port.resolve("link_layer"));
		return new DeviceDescription.Port(number(port), meaning(port.resolve("state")),
				(linkLayer != null) ? linkLayer : "unknown", List.copyOf(networkDevices));
	}

	/**
	 * Return the names of the devices.
	 * @return the names in order
	 */
	List<String> deviceNames() {
		return entries(this.devices).stream().map(DeviceTree::name).toList();
	}

	/**
	 * Return what there is of devices, each with what tells it from one of its name that
	 * was there before.
	 * @return names and numbers
	 */
	Set<String> sightings() {
		Set<String> sightings = new TreeSet<>();
		for (Path device : entries(this.devices)) {
			try {
				sightings.add(name(device) + " " + Files.getAttribute(device, "unix:ino", LinkOption.NOFOLLOW_LINKS));
			}
			catch (IOException ex) {
				sightings.add(name(device) + " going");
			}
		}
		return sightings;
	}

	/**
	 * Tell whether the kernel lets processes use devices: whether {@code ib_uverbs} is
	 * loaded.
	 * @return whether it does
	 */
	boolean hasVerbs() {
		return Files.isDirectory(this.verbs);
	}

	/**
	 * Return the version of the kernel's verbs interface.
	 * @return the version or {@code null} when it is not shown
	 */
	@Nullable String verbsAbiVersion() {
		return read(this.verbs.resolve("abi_version"));
	}

	/**
	 * Return the version of the kernel's CM interface.
	 * @return the version or {@code null} when {@code rdma_ucm} is not loaded
	 */
	@Nullable String cmAbiVersion() {
		return read(this.cmAbiVersion);
	}

	/**
	 * Return the file through which the CM is used.
	 * @return the file, which may not exist
	 */
	Path cmNode() {
		return this.nodes.resolve("rdma_cm");
	}

	/**
	 * Return the files through which the devices are used.
	 * @return the files, which may not exist
	 */
	List<Path> deviceNodes() {
		return entries(this.verbs).stream()
			.filter((entry) -> Files.exists(entry.resolve("ibdev")))
			.map((entry) -> this.nodes.resolve(name(entry)))
			.toList();
	}

	private static List<Path> entries(Path directory) {
		try (Stream<Path> entries = Files.list(directory)) {
			return new ArrayList<>(entries.sorted().toList());
		}
		catch (NoSuchFileException | NotDirectoryException ex) {
			// Perhaps its device went away a moment ago.
			return List.of();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot list " + directory, ex);
		}
	}

	// The kernel answers EINVAL for empty table entries and takes away files of devices
	// that go, so what cannot be read is as good as absent.
	private static @Nullable String read(Path file) {
		try {
			return Files.readString(file).strip();
		}
		catch (IOException ex) {
			return null;
		}
	}

	// The kernel writes a number and its meaning: 4: ACTIVE.
	private static String meaning(Path file) {
		String text = read(file);
		return (text != null) ? text.substring(text.indexOf(':') + 1).strip() : "unknown";
	}

	private static String name(Path path) {
		return String.valueOf(path.getFileName());
	}

	private static int number(Path port) {
		return Integer.parseInt(name(port));
	}

}
