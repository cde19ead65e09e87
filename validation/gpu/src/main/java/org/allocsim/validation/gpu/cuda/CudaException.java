package org.allocsim.validation.gpu.cuda;

/** A GPU cannot be used, or a call of its driver failed; the message is a sentence for the user. */
public final class CudaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** A failure that is not one of memory. */
  public CudaException(String message) {
    super(message);
  }

  /** A failure with its cause. */
  public CudaException(String message, Throwable cause) {
    super(message, cause);
  }
}
