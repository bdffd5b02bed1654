package io.github.rdmaboot.provider;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Abstract call of a random sequence. Its numbers choose among the objects that exist
 * when its turn comes, so that a sequence stays meaningful when others are taken out.
 *
 * @param call what to call
 * @param first chooses the object that it is called for
 * @param second chooses another object or an argument
 * @param third chooses another object or an argument
 */
record ModelCommand(Call call, int first, int second, int third) {

	/**
	 * Calls of a sequence; one that leads onward is listed as often as it should come.
	 */
	enum Call {

		CREATE_ID, BIND, LISTEN, RESOLVE_ADDR, RESOLVE_ROUTE, SET_OPTION, CREATE_QP, CONNECT, ACCEPT, REJECT,
		DISCONNECT, DESTROY_QP, DESTROY_ID, POST_RECV, POST_SEND, QP_TO_ERROR, ALLOC_PD, DEALLOC_PD, REG_MR, DEREG_MR,
		CREATE_CQ, DESTROY_CQ

	}

	private static final List<Call> LEADING = List.of(Call.CREATE_ID, Call.RESOLVE_ADDR, Call.RESOLVE_ROUTE,
			Call.CREATE_QP, Call.CREATE_QP, Call.CONNECT, Call.ACCEPT, Call.POST_RECV, Call.POST_SEND);

	static List<ModelCommand> sequence(long seed, int length) {
		Random random = new Random(seed);
		List<ModelCommand> commands = new ArrayList<>();
		commands.add(new ModelCommand(Call.ALLOC_PD, 0, 0, 0));
		commands.add(new ModelCommand(Call.CREATE_CQ, 0, 1, 0));
		commands.add(new ModelCommand(Call.CREATE_ID, 0, 0, 0));
		commands.add(new ModelCommand(Call.BIND, 0, 0, 0));
		commands.add(new ModelCommand(Call.LISTEN, 0, random.nextInt(3), 0));
		while (commands.size() < length) {
			List<Call> choice = (random.nextInt(4) > 0) ? LEADING : List.of(Call.values());
			commands.add(new ModelCommand(choice.get(random.nextInt(choice.size())), random.nextInt(60),
					random.nextInt(60), random.nextInt(60)));
		}
		return commands;
	}

}
