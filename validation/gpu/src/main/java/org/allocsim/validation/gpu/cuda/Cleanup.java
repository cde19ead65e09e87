package org.allocsim.validation.gpu.cuda;

import org.jspecify.annotations.Nullable;

/** Calls that give things back; one that fails keeps none of the others from being made. */
final class Cleanup {
  private @Nullable CudaException failure;

  /** Makes a call and remembers how it failed. */
  void attempt(Runnable call) {
    try {
      call.run();
    } catch (CudaException e) {
      if (failure == null) {
        failure = e;
      } else {
        failure.addSuppressed(e);
      }
    }
  }

  /**
   * Ends the cleanup.
   *
   * @throws CudaException the first failure, with the others suppressed
   */
  void finish() {
    if (failure != null) {
      throw failure;
    }
  }
}
