package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * A work request completed with an error, which ends its connection; stands for a
 * {@code struct ibv_wc} with a status other than {@code IBV_WC_SUCCESS}. The errno is
 * ETIMEDOUT when the peer did not answer or had no receive, and EIO otherwise.
 */
public class RdmaOperationException extends RdmaException {

	private static final long serialVersionUID = 1L;

	private final CompletionOpcode operation;

	private final int statusCode;

	private final int vendorError;

	private final int queuePairNumber;

	/**
	 * Create the exception.
	 * @param connection the connection as text
	 * @param operation the operation that failed
	 * @param statusCode the number of the status
	 * @param vendorError the vendor's error code
	 * @param queuePairNumber the number of the local queue pair
	 */
	public RdmaOperationException(String connection, CompletionOpcode operation, int statusCode, int vendorError,
			int queuePairNumber) {
		super("ibv_poll_cq", errno(CompletionStatus.of(statusCode)).value(),
				message(connection, operation, statusCode, vendorError, queuePairNumber));
		this.operation = operation;
		this.statusCode = statusCode;
		this.vendorError = vendorError;
		this.queuePairNumber = queuePairNumber;
	}

	private static Errno errno(@Nullable CompletionStatus status) {
		return (status == CompletionStatus.RETRY_EXC_ERR || status == CompletionStatus.RNR_RETRY_EXC_ERR)
				? Errno.ETIMEDOUT : Errno.EIO;
	}

	private static String message(String connection, CompletionOpcode operation, int statusCode, int vendorError,
			int queuePairNumber) {
		CompletionStatus status = CompletionStatus.of(statusCode);
		return connection + ": " + operation + " ended with " + ((status != null) ? "IBV_WC_" + status : "status")
				+ " (" + statusCode + "), vendor error " + vendorError + ", queue pair " + queuePairNumber
				+ CompletionHints.of(status, operation);
	}

	/**
	 * Return the operation.
	 * @return the operation that failed
	 */
	public CompletionOpcode operation() {
		return this.operation;
	}

	/**
	 * Return the status.
	 * @return the status, or {@code null} for a number that is not known
	 */
	public @Nullable CompletionStatus status() {
		return CompletionStatus.of(this.statusCode);
	}

	/**
	 * Return the number of the status.
	 * @return the number in C
	 */
	public int statusCode() {
		return this.statusCode;
	}

	/**
	 * Return the vendor's error code.
	 * @return the code, whose meaning the device's vendor knows
	 */
	public int vendorError() {
		return this.vendorError;
	}

	/**
	 * Return the number of the local queue pair.
	 * @return the number
	 */
	public int queuePairNumber() {
		return this.queuePairNumber;
	}

}
