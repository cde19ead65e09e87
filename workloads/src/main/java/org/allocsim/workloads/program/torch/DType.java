package org.allocsim.workloads.program.torch;

import org.allocsim.simulator.trace.Precision;

/** Element types of tensors. */
public enum DType {
  /** 32-bit floating point. */
  FLOAT32(4, Precision.FP32),
  /** IEEE half precision. */
  FLOAT16(2, Precision.FP16),
  /** bfloat16. */
  BFLOAT16(2, Precision.BF16),
  /** 64-bit integers, the type of token ids and labels. */
  INT64(8, Precision.FP32),
  /** 32-bit integers. */
  INT32(4, Precision.FP32),
  /** Truth values, the type of masks. */
  BOOL(1, Precision.FP32),
  /** Bytes, the type of opaque buffers. */
  UINT8(1, Precision.FP32);

  private final int bytes;
  private final Precision precision;

  DType(int bytes, Precision precision) {
    this.bytes = bytes;
    this.precision = precision;
  }

  /** Bytes of one element. */
  public int bytes() {
    return bytes;
  }

  /** Kind of arithmetic that elements of this type take. */
  public Precision precision() {
    return precision;
  }

  /** Whether gradients can flow through elements of this type. */
  public boolean isFloating() {
    return this == FLOAT32 || isHalf();
  }

  /** Whether this is one of the two 16-bit floating point types. */
  public boolean isHalf() {
    return this == FLOAT16 || this == BFLOAT16;
  }

  /** The type to which PyTorch promotes the operands of one operation. */
  public static DType promote(DType a, DType b) {
    if (a == b) {
      return a;
    }
    if (a.isFloating() && b.isFloating()) {
      return FLOAT32;
    }
    if (a.isFloating() || b.isFloating()) {
      return a.isFloating() ? a : b;
    }
    return a.bytes >= b.bytes ? a : b;
  }
}
