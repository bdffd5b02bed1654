package io.github.rdmaboot.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

import io.github.rdmaboot.autoconfigure.UnknownRdmaPropertyException.UnknownProperty;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * {@link BindHandler} that learns which properties there are from what the binder asks
 * for, whether it is set or not, and finds those under {@code rdma} that it never asked
 * for. Used on one thread.
 * <p>
 * Environment variables are not looked at: Kubernetes adds {@code RDMA_PORT} and others
 * for a service named {@code rdma}, and applications use such names in placeholders. Nor
 * is {@code rdma.test}, which belongs to tests.
 */
class KnownRdmaProperties implements BindHandler {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("rdma");

	private static final ConfigurationPropertyName TESTS = ConfigurationPropertyName.of("rdma.test");

	/** Length of {@code rdma.servers.<name>}, behind which a name with dots goes on. */
	private static final int LENGTH_OF_ENDPOINT = 3;

	private final Set<ConfigurationPropertyName> known = new LinkedHashSet<>();

	@Override
	public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
		this.known.add(name);
		return target;
	}

	/**
	 * Check that there are no other properties.
	 * @param sources where to look
	 * @throws UnknownRdmaPropertyException if there are
	 */
	void requireNoOthers(Iterable<ConfigurationPropertySource> sources) {
		List<UnknownProperty> unknown = new ArrayList<>();
		forEach(sources, (name, source) -> {
			if (isUnknown(name)) {
				unknown.add(describe(name, source));
			}
		});
		if (!unknown.isEmpty()) {
			throw new UnknownRdmaPropertyException(unknown);
		}
	}

	/**
	 * Check that an endpoint was bound wherever a property of one is there. The binder
	 * makes none where all values are empty, as those of placeholders may be, and the
	 * endpoint would be missing without a word.
	 * @param sources where to look
	 * @param map the property that has the endpoints by name
	 * @param required the setting that each of them must have
	 * @param bound the names of the endpoints that were bound
	 * @throws InvalidRdmaPropertyException if one was not
	 */
	void requireEndpoints(Iterable<ConfigurationPropertySource> sources, String map, String required,
			Set<String> bound) {
		ConfigurationPropertyName parent = ConfigurationPropertyName.of(map);
		forEach(sources, (name, source) -> {
			if (parent.isAncestorOf(name)) {
				String endpoint = name.getElement(parent.getNumberOfElements(), Form.ORIGINAL);
				if (!bound.contains(endpoint)) {
					SettingsConverter.required(SettingsConverter.path(map, endpoint), required, null);
				}
			}
		});
	}

	private static void forEach(Iterable<ConfigurationPropertySource> sources,
			BiConsumer<ConfigurationPropertyName, ConfigurationPropertySource> action) {
		for (ConfigurationPropertySource source : sources) {
			if (source instanceof IterableConfigurationPropertySource iterable
					&& !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
				iterable.forEach((name) -> action.accept(name, source));
			}
		}
	}

	private boolean isUnknown(ConfigurationPropertyName name) {
		return ROOT.isAncestorOf(name) && !TESTS.isAncestorOf(name) && !this.known.contains(name);
	}

	private UnknownProperty describe(ConfigurationPropertyName name, ConfigurationPropertySource source) {
		ConfigurationProperty property = source.getConfigurationProperty(name);
		Object origin = (property != null) ? property.getOrigin() : null;
		ConfigurationPropertyName parent = name;
		do {
			parent = parent.getParent();
		}
		while (!this.known.contains(parent));
		String element = name.getElement(parent.getNumberOfElements(), Form.DASHED);
		List<ConfigurationPropertyName> candidates = childrenOf(parent);
		List<String> near = nearest(element, candidates);
		boolean dotted = near.isEmpty() && parent.getNumberOfElements() == LENGTH_OF_ENDPOINT
				&& goesOnAsOneOf(name, candidates);
		return new UnknownProperty(name.toString(), (origin != null) ? origin.toString() : null,
				near.isEmpty() ? candidates.stream().map(ConfigurationPropertyName::toString).toList() : near, dotted);
	}

	// Whether a setting of endpoints comes after more of a name, as in eu.orders.port.
	private static boolean goesOnAsOneOf(ConfigurationPropertyName name, List<ConfigurationPropertyName> settings) {
		for (int i = LENGTH_OF_ENDPOINT + 1; i < name.getNumberOfElements(); i++) {
			String element = name.getElement(i, Form.UNIFORM);
			if (settings.stream().anyMatch((setting) -> setting.getLastElement(Form.UNIFORM).equals(element))) {
				return true;
			}
		}
		return false;
	}

	private List<ConfigurationPropertyName> childrenOf(ConfigurationPropertyName parent) {
		return this.known.stream().filter(parent::isParentOf).toList();
	}

	private static List<String> nearest(String element, List<ConfigurationPropertyName> candidates) {
		TreeMap<Integer, List<String>> near = new TreeMap<>();
		for (ConfigurationPropertyName candidate : candidates) {
			String other = candidate.getLastElement(Form.DASHED);
			int distance = distance(element, other);
			if (distance <= Math.max(1, Math.max(element.length(), other.length()) / 3)) {
				near.computeIfAbsent(distance, (key) -> new ArrayList<>()).add(candidate.toString());
			}
		}
		return near.isEmpty() ? List.of() : near.firstEntry().getValue();
	}

	// How many letters must be put in, left out, changed or swapped with the next to make
	// one of the other.
	private static int distance(String from, String to) {
		int[][] distances = new int[from.length() + 1][to.length() + 1];
		for (int i = 0; i <= from.length(); i++) {
			for (int j = 0; j <= to.length(); j++) {
				distances[i][j] = (i == 0 || j == 0) ? i + j : distance(from, to, i, j, distances);
			}
		}
		return distances[from.length()][to.length()];
	}

	private static int distance(String from, String to, int i, int j, int[][] distances) {
		char last = from.charAt(i - 1);
		int changed = distances[i - 1][j - 1] + ((last == to.charAt(j - 1)) ? 0 : 1);
		int distance = Math.min(changed, Math.min(distances[i - 1][j], distances[i][j - 1]) + 1);
		if (i > 1 && j > 1 && last == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1)) {
			return Math.min(distance, distances[i - 2][j - 2] + 1);
		}
		return distance;
	}

}
