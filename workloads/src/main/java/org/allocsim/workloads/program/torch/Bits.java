package org.allocsim.workloads.program.torch;

import org.allocsim.workloads.program.torch.kernel.Cub;

/** Small tensors of numbers and truth values with which programs steer themselves. */
public final class Bits {
  private final Torch torch;

  /** Operations of one process. */
  public Bits(Torch torch) {
    this.torch = torch;
  }

  /** A tensor that one operation makes. */
  public Tensor make(DType type, long... sizes) {
    return Elementwise.filled(torch, type, sizes);
  }

  /** {@code torch.isin(elements, value)} and the temporary tensors it takes. */
  public Tensor isIn(long... sizes) {
    Tensor result = make(DType.BOOL, sizes);
    Tensor first = make(DType.BOOL, sizes);
    make(DType.BOOL, sizes).release();
    first.release();
    return result;
  }

  /** {@code a ∘ scalar}, where the scalar becomes a tensor first and {@code a} is not needed on. */
  public Tensor next(Tensor old, DType type, long... sizes) {
    Tensor fresh = make(type, sizes);
    old.release();
    return fresh;
  }

  /** {@code tensor.sum() == count}, as transformers asks whether all are true; read by the host. */
  public void allTrue(long... sizes) {
    Tensor sum = make(DType.INT64);
    make(DType.INT64, sizes).release();
    Tensor answer = make(DType.BOOL);
    Elementwise.toHost(torch, answer);
    sum.release();
    answer.release();
  }

  /** Memory that {@code cumsum} of one row of 8-byte numbers takes while it runs. */
  public void scanScratch(long count) {
    torch.scratch(Cub.scanBytes(count));
  }
}
