package org.allocsim.reports.answer.validation;

import org.allocsim.validation.torch.TorchJob;
import org.allocsim.validation.torch.TorchVerdict;

/**
 * One program under one setting, as {@code validate --pytorch} ran it.
 *
 * @param program what was run
 * @param conf settings of the allocator
 * @param job what was sent
 * @param verdict how PyTorch and the simulation agree, or null where the case was not run
 * @param error why it was not run, or null
 */
record TorchCase(
    TorchProgram program, String conf, TorchJob job, TorchVerdict verdict, String error) {
  /** Whether it was run and all of it is exact. */
  boolean exact() {
    return verdict != null && verdict.exact();
  }
}
