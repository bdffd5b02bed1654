package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.github.rdmaboot.provider.AccessFlag;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.CmIdOption;
import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.LinkLayer;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.PortState;
import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.QueuePairType;
import io.github.rdmaboot.provider.SendFlag;
import io.github.rdmaboot.provider.TransportType;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Compares every offset, size and number that stands for one in C with what the C
 * compiler makes of the installed headers.
 */
class LayoutTests {

	private static final Path HEADER = Path.of("/usr/include/rdma/rdma_cma.h");

	@TempDir
	private Path directory;

	@BeforeAll
	static void requireCompilerAndHeaders() {
		boolean present = Files.exists(HEADER) && Stream.of(System.getenv("PATH").split(":"))
			.anyMatch((entry) -> Files.isExecutable(Path.of(entry, "gcc")));
		if (!present) {
			String message = "NOT CHECKED: the layout of C structures; install gcc, librdmacm-dev and libibverbs-dev";
			assertThat(System.getenv("CI")).as(message).isNotEqualTo("true");
			System.err.println(message);
			Assumptions.abort(message);
		}
	}

	@Test
	void structuresAreLaidOutAsTheHeadersSay() throws Exception {
		LayoutComparison comparison = new LayoutComparison();
		for (Class<?> layout : layouts()) {
			comparison.addLayout(layout);
		}
		assertThat(comparison.size()).isGreaterThan(300);
		assertThat(comparison.differences(this.directory)).isEmpty();
	}

	@Test
	void numbersStandForTheSameAsInC() throws Exception {
		LayoutComparison comparison = new LayoutComparison();
		for (AccessFlag flag : AccessFlag.values()) {
			comparison.add("IBV_ACCESS_" + flag.name(), flag.value());
		}
		for (CmEventType type : CmEventType.values()) {
			// The later ones are newer than the oldest headers that this is built with.
			if (type.value() <= CmEventType.TIMEWAIT_EXIT.value()) {
				comparison.add("RDMA_CM_EVENT_" + type.name(), type.value());
			}
		}
		for (CmIdOption option : CmIdOption.values()) {
			comparison.add("RDMA_OPTION_ID_" + option.name(), option.value());
		}
		for (CompletionOpcode opcode : CompletionOpcode.values()) {
			comparison.add("IBV_WC_" + opcode.name(), opcode.value());
		}
		for (CompletionStatus status : CompletionStatus.values()) {
			comparison.add("IBV_WC_" + status.name(), status.value());
		}
		for (Errno errno : Errno.values()) {
			// The kernel alone has a name for this one.
			if (errno != Errno.ENOTSUPP) {
				comparison.add(errno.name(), errno.value());
			}
		}
		for (LinkLayer linkLayer : LinkLayer.values()) {
			comparison.add("IBV_LINK_LAYER_" + linkLayer.name(), linkLayer.value());
		}
		for (PortSpace portSpace : PortSpace.values()) {
			comparison.add("RDMA_PS_" + portSpace.name(), portSpace.value());
		}
		for (PortState state : PortState.values()) {
			comparison.add("IBV_PORT_" + state.name(), state.value());
		}
		for (QueuePairState state : QueuePairState.values()) {
			comparison.add("IBV_QPS_" + state.name(), state.value());
		}
		for (QueuePairType type : QueuePairType.values()) {
			comparison.add("IBV_QPT_" + type.name(), type.value());
		}
		for (SendFlag flag : SendFlag.values()) {
			comparison.add("IBV_SEND_" + flag.name(), flag.value());
		}
		for (TransportType type : TransportType.values()) {
			comparison.add("IBV_TRANSPORT_" + type.name(), type.value());
		}
		for (WorkRequestOpcode opcode : WorkRequestOpcode.values()) {
			comparison.add("IBV_WR_" + opcode.name(), opcode.value());
		}
		for (Field mask : QueuePairAttributes.class.getFields()) {
			comparison.add("IBV_QP_" + mask.getName(), mask.getInt(null));
		}
		for (Field constant : Libc.class.getDeclaredFields()) {
			constant.setAccessible(true);
			comparison.add(constant.getName(), constant.getInt(null));
		}
		comparison.add("AF_INET", SocketAddresses.AF_INET);
		comparison.add("AF_INET6", SocketAddresses.AF_INET6);
		assertThat(comparison.differences(this.directory)).isEmpty();
	}

	@Test
	void anOffsetThatIsWrongIsCaught() throws Exception {
		LayoutComparison comparison = new LayoutComparison();
		comparison.addLayout(WrongLayout.class);
		assertThat(comparison.differences(this.directory)).containsExactly(
				"offsetof(struct rdma_cm_id, qp) is 24 but Java has 32",
				"sizeof(((struct rdma_cm_id *) 0)->verbs) is 8 but Java has 4");
	}

	@Test
	void aConstantThatNamesNoFieldIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> new LayoutComparison().addLayout(UncheckedLayout.class))
			.withMessageContaining("MYSTERY");
	}

	private static List<Class<?>> layouts() throws IOException, URISyntaxException {
		Path location = Path.of(CmIdLayout.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		try (Stream<Path> files = Files.walk(location)) {
			List<Class<?>> layouts = files.map((file) -> String.valueOf(file.getFileName()))
				.filter((name) -> name.endsWith("Layout.class"))
				.map((name) -> LayoutTests.class.getPackageName() + "." + name.replace(".class", ""))
				.<Class<?>>map(LayoutTests::load)
				.toList();
			assertThat(layouts).isNotEmpty().allMatch((layout) -> layout.isAnnotationPresent(CStruct.class));
			return layouts;
		}
	}

	private static Class<?> load(String name) {
		try {
			return Class.forName(name);
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@CStruct("struct rdma_cm_id")
	static final class WrongLayout {

		@CField(value = "qp", size = 8)
		static final int QP = 32;

		@CField(value = "verbs", size = 4)
		static final int VERBS = 0;

		private WrongLayout() {
		}

	}

	@CStruct("struct rdma_cm_id")
	static final class UncheckedLayout {

		static final int MYSTERY = 8;

		private UncheckedLayout() {
		}

	}

}
