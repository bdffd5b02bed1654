package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.HandleList;
import io.github.rdmaboot.provider.OrderedCalls;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.DeviceLease;
import io.github.rdmaboot.verbs.Devices;
import io.github.rdmaboot.verbs.MemoryPoolLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class RdmaMemoryTests {

	private static final MemoryPoolLimits LIMITS = new MemoryPoolLimits(1 << 20, 1 << 24, 64);

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final RdmaProvider provider = OrderedCalls.check(new LoopbackRdmaProvider(this.fabric));

	private final AtomicInteger freed = new AtomicInteger();

	private DeviceLease lease;

	private PooledBuffer memory;

	@BeforeEach
	void openDevice() {
		HandleList contexts = this.provider.rdmaGetDevices();
		this.lease = new Devices(this.provider, "test", LIMITS).acquire(contexts.handles()[0]);
		this.memory = PooledBuffer.allocate(this.lease.device(), 64, (buffer) -> this.freed.incrementAndGet());
	}

	@AfterEach
	void releaseDevice() {
		this.lease.release();
		this.provider.close();
	}

	@Test
	void isFreedWhenReleasedWhileNoOperationUsesIt() {
		this.memory.retain();
		this.memory.completed();
		assertThat(this.freed).hasValue(0);

		this.memory.close();
		this.memory.close();

		assertThat(this.freed).as("frees").hasValue(1);
	}

	@Test
	void isFreedByTheLastOperationWhenReleasedWhileSomeUseIt() {
		this.memory.retain();
		this.memory.retain();

		this.memory.close();
		this.memory.completed();
		assertThat(this.freed).as("frees while an operation uses it").hasValue(0);
		this.memory.completed();

		assertThat(this.freed).as("frees").hasValue(1);
	}

	@Test
	void cannotBeUsedAfterRelease() {
		this.memory.retain();
		this.memory.close();

		assertThatIllegalStateException().isThrownBy(this.memory::data)
			.withMessage("The memory of 64 bytes was released and must not be used any more");
		assertThatIllegalStateException().isThrownBy(this.memory::retain);
		this.memory.completed();
		assertThat(this.freed).as("frees").hasValue(1);
	}

	@Test
	void refusesPartsThatAreNotInside() {
		assertThat(this.memory.addressOf(60, 4)).isEqualTo(this.memory.address() + 60);
		assertThat(this.memory.addressOf(64, 0)).isEqualTo(this.memory.address() + 64);
		long[][] parts = { { -1, 1 }, { 0, -1 }, { 0, 65 }, { 65, 0 }, { 63, 2 }, { Long.MAX_VALUE, 1 },
				{ 1, Integer.MAX_VALUE } };
		for (long[] part : parts) {
			assertThatExceptionOfType(IndexOutOfBoundsException.class).as("offset %d, length %d", part[0], part[1])
				.isThrownBy(() -> this.memory.addressOf(part[0], (int) part[1]))
				.withMessage("%d bytes from offset %d are not inside 64 bytes of local memory", part[1], part[0]);
		}
	}

	@Test
	void registeredMemoryDescribesItselfToPeersAndIsDeregisteredOnce() {
		ByteBuffer bytes = ByteBuffer.allocateDirect(100).position(10).limit(50);
		RegisteredMemory registered = RegisteredMemory.register(this.lease.device(), bytes,
				(memory) -> this.freed.incrementAndGet(), RemoteAccess.READ);

		assertThat(registered.length()).isEqualTo(40);
		assertThat(registered.remote().length()).isEqualTo(40);
		assertThat(registered.remote().address()).isEqualTo(registered.address());
		assertThat(this.fabric.resources().memoryRegions()).as("regions, with that of the pool").isEqualTo(2);
		registered.close();
		registered.close();

		assertThat(this.fabric.resources().memoryRegions()).as("regions left, with that of the pool").isEqualTo(1);
		assertThat(this.freed).as("frees").hasValue(1);
		assertThatIllegalStateException().isThrownBy(registered::remote);
	}

}
