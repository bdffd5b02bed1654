package io.github.rdmaboot.cm;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link IdTable}.
 */
class IdTableTests {

	private final IdTable table = new IdTable();

	@Test
	void holdsWhatAMapHoldsWhateverIsPutAndRemoved() {
		Random random = new Random(7);
		Map<Long, OwnedCmId> model = new HashMap<>();
		for (int i = 0; i < 50_000; i++) {
			// Few enough handles for long runs, and changing in number, so that it grows
			// full.
			long handle = handle(random.nextInt(20 + i / 100));
			if (model.containsKey(handle) && random.nextInt(3) > 0) {
				model.remove(handle);
				this.table.remove(handle);
			}
			else {
				OwnedCmId id = new OwnedCmId("id");
				model.put(handle, id);
				this.table.put(handle, id);
			}
			long asked = handle(random.nextInt(20 + i / 100));
			assertThat(this.table.get(asked)).as("after %d changes", i).isSameAs(model.get(asked));
			assertThat(this.table.size()).isEqualTo(model.size());
		}
		model.forEach((handle, id) -> assertThat(this.table.get(handle)).isSameAs(id));
	}

	@Test
	void removesNothingForAHandleThatItDoesNotHold() {
		OwnedCmId id = new OwnedCmId("id");
		this.table.put(handle(1), id);
		this.table.remove(handle(2));
		assertThat(this.table.size()).isEqualTo(1);
		assertThat(this.table.get(handle(1))).isSameAs(id);
	}

	@Test
	void holdsNothingForNoHandle() {
		assertThat(this.table.get(0)).isNull();
	}

	private static long handle(int number) {
		return 0x7f00_0000_0000L + 752L * number;
	}

}
