package org.allocsim.simulator.trace;

/** Kind of arithmetic that a kernel does, which decides how fast a GPU does it. */
public enum Precision {
  /** 64-bit floating point. */
  FP64,
  /** 32-bit floating point on the ordinary units. */
  FP32,
  /** 32-bit floating point whose products tensor cores round to 10 bits of mantissa. */
  TF32,
  /** 16-bit floating point (fp16 or bf16) on tensor cores. */
  HALF,
  /** 8-bit floating point on tensor cores. */
  FP8
}
