package org.allocsim.simulator.trace;

/** Formats of numbers whose arithmetic differs in speed. */
public enum Precision {
  /** 32-bit floating point, exact. */
  FP32,
  /** 32-bit floating point, rounded to TF32 in matrix products. */
  TF32,
  /** IEEE half precision. */
  FP16,
  /** bfloat16. */
  BF16
}
