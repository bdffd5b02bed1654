package io.github.rdmaboot.provider;

import java.util.ArrayList;
import java.util.List;

import io.github.rdmaboot.provider.ModelObjects.Id;
import io.github.rdmaboot.provider.ModelObjects.Resource;
import org.jspecify.annotations.Nullable;

/**
 * One call with the names of what it is made with, and what it has to bring.
 */
final class ModelStep {

	final ModelCommand.Call call;

	@Nullable Id id;

	@Nullable Id other;

	@Nullable Resource pd;

	@Nullable Resource cq;

	/** What a call that is made for no CM id is made for. */
	String target = "";

	int variant;

	boolean wrong;

	String created = "";

	int errno;

	final List<String> events = new ArrayList<>();

	final List<String> completions = new ArrayList<>();

	/** Whether a peer hears of the call without an event. */
	boolean silent;

	ModelStep(ModelCommand.Call call) {
		this.call = call;
	}

	/**
	 * Describe the call with its outcome, which is what providers are compared by.
	 * @param errno the error or 0
	 * @param events the events that it brought
	 * @param completions the completions that it brought
	 * @param ids the CM ids afterwards
	 * @return the description
	 */
	String outcome(int errno, List<String> events, List<String> completions, List<String> ids) {
		String on = (this.id != null) ? this.id.name : this.target;
		return "%s(%s%s) %s = %s %s %s %s".formatted(this.call, on, (this.other != null) ? ", " + this.other.name : "",
				this.variant + (this.wrong ? " wrong" : ""), (errno == 0) ? this.created : Errno.symbol(errno),
				events.stream().sorted().toList(), completions.stream().sorted().toList(), ids);
	}

}
