package io.github.rdmaboot.provider.loopback;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IntTableTests {

	@Test
	void holdsWhatAMapHoldsThroughAnySequenceOfChanges() {
		Random random = new Random(7);
		IntTable<String> table = new IntTable<>();
		Map<Integer, String> map = new HashMap<>();
		for (int i = 0; i < 20_000; i++) {
			int key = random.nextInt(200) * 0x101;
			if (random.nextInt(3) > 0) {
				table.put(key, "value " + i);
				map.put(key, "value " + i);
			}
			else {
				table.remove(key);
				map.remove(key);
			}
			assertThat(table.size()).as("size after change %d", i).isEqualTo(map.size());
			assertThat(table.get(key)).as("value of the key of change %d", i).isEqualTo(map.get(key));
		}
		for (int key = 0; key < 200 * 0x101; key++) {
			assertThat(table.get(key)).as("value of key %d", key).isEqualTo(map.get(key));
		}
	}

}
