package org.allocsim.workloads.program.model;

import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;

/** What transformers asks while it finds out which attention mask is needed. */
final class CausalMask {
  private CausalMask() {}

  /**
   * {@code find_packed_sequence_indices}: without a cache it is looked for several sequences in one
   * row.
   */
  static void findPackedSequences(Torch torch, Tensor places, long batch) {
    long length = places.size(-1);
    Tensor first = Elementwise.filled(torch, DType.INT64, batch, 1);
    Tensor joined = Elementwise.filled(torch, DType.INT64, batch, length + 1);
    Tensor differences = Elementwise.filled(torch, DType.INT64, batch, length);
    joined.release();
    Tensor isBreak = Elementwise.filled(torch, DType.BOOL, batch, length);
    Tensor sums = Elementwise.filled(torch, DType.INT64, batch, length);
    Tensor last = Elementwise.filled(torch, DType.INT64, batch, length);
    last.release();
    isBreak.release();
    Tensor corner = Elementwise.filled(torch, DType.INT64);
    Tensor answer = Elementwise.filled(torch, DType.BOOL);
    Elementwise.toHost(torch, answer);
    corner.release();
    answer.release();
    first.release();
    differences.release();
    sums.release();
  }
}
