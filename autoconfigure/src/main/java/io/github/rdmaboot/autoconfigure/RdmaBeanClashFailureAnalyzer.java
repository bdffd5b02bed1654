package io.github.rdmaboot.autoconfigure;

import java.util.Objects;

import io.github.rdmaboot.cm.CmId;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaDatagramEndpoint;
import io.github.rdmaboot.endpoint.RdmaServer;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionOverrideException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Analyzes that the application has a bean of the name that an endpoint needs, whichever
 * of the two is registered first. Comes before Spring Boot's analyzer, which does not
 * know where the endpoint's bean is from.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class RdmaBeanClashFailureAnalyzer extends AbstractFailureAnalyzer<BeanDefinitionOverrideException> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BeanDefinitionOverrideException cause) {
		boolean last = isOfEndpoint(cause.getBeanDefinition());
		BeanDefinition endpoint = last ? cause.getBeanDefinition() : cause.getExistingDefinition();
		BeanDefinition other = last ? cause.getExistingDefinition() : cause.getBeanDefinition();
		if (!isOfEndpoint(endpoint)) {
			return null;
		}
		String where = Objects.requireNonNullElse(other.getResourceDescription(), String.valueOf(other));
		String description = String.format("The %s needs a bean named '%s', but there is another one, defined in %s.",
				endpoint.getDescription(), cause.getBeanName(), where);
		return new FailureAnalysis(description,
				"Rename that bean, or the endpoint under 'rdma.servers', 'rdma.clients' or 'rdma.datagrams'.", cause);
	}

	private static boolean isOfEndpoint(BeanDefinition definition) {
		if (!(definition instanceof AbstractBeanDefinition candidate) || !candidate.hasBeanClass()) {
			return false;
		}
		Class<?> type = candidate.getBeanClass();
		return type == RdmaServer.class || type == RdmaClient.class || type == RdmaDatagramEndpoint.class
				|| type == CmId.class;
	}

}
