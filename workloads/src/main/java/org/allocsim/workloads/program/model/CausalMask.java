package org.allocsim.workloads.program.model;

import org.allocsim.workloads.program.torch.Bits;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Frame;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.jspecify.annotations.Nullable;

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
    Tensor whole = Elementwise.filled(torch, DType.BOOL, batch);
    Tensor answer = Elementwise.filled(torch, DType.BOOL);
    Elementwise.toHost(torch, answer);
    whole.release();
    answer.release();
    first.release();
    differences.release();
    sums.release();
  }

  /**
   * {@code sdpa_mask}: no mask is made where none of the tokens is hidden, as the kernels know the
   * causal one themselves.
   *
   * @param attended which of all tokens are seen
   * @param length tokens that are new
   * @param masked whether some token is hidden
   * @return the mask, or null
   */
  static @Nullable Tensor sdpa(Bits bits, Tensor attended, long length, boolean masked) {
    long batch = attended.size(0);
    long all = attended.size(1);
    try (Frame frame = new Frame()) {
      frame.own(bits.make(DType.BOOL, batch, all));
      bits.allTrue(batch, all);
      if (!masked) {
        return null;
      }
      if (length > 1) {
        bits.allTrue(batch, all);
      }
      frame.own(bits.make(DType.INT64, batch));
      frame.own(bits.make(DType.INT64, 1));
      Tensor rows = bits.make(DType.INT64, length);
      frame.own(bits.next(rows, DType.INT64, length));
      Tensor columns = bits.make(DType.INT64, all);
      frame.own(bits.next(columns, DType.INT64, all));
      Tensor always = bits.make(DType.BOOL);
      Tensor causal = bits.next(bits.make(DType.BOOL, length, all), DType.BOOL, length, all);
      always.release();
      Tensor offsets = bits.make(DType.INT64, batch, all);
      Tensor places = bits.make(DType.INT64, batch, all);
      Tensor seen = bits.make(DType.BOOL, batch, all);
      places.release();
      offsets.release();
      Tensor mask = bits.next(seen, DType.BOOL, batch, 1, length, all);
      causal.release();
      return mask;
    }
  }
}
