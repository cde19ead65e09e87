package org.allocsim.reports.question.gpu;

import org.allocsim.reports.output.Failure;
import org.allocsim.workloads.io.EarlyEnd;

/** Why work on a GPU has no answer. */
public final class GpuFailure {
  private GpuFailure() {}

  /**
   * A failure for users. A signal that ends the process closes the GPU first, so calls fail then
   * for that reason and no other.
   *
   * @param cause what the work ended with; its message is a sentence
   * @param unfinished what was not reached, and what to do about it
   */
  public static Failure of(RuntimeException cause, String unfinished) {
    return new Failure(
        EarlyEnd.isAsked() ? "stopped by a signal before " + unfinished : cause.getMessage(),
        cause);
  }
}
