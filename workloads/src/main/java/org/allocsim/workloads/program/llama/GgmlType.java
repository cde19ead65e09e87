package org.allocsim.workloads.program.llama;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Types of ggml's tensors ({@code ggml.h}): numbers come in blocks that share scales. */
public enum GgmlType {
  F32(1, 4),
  F16(1, 2),
  BF16(1, 2),
  Q8_0(32, 34),
  Q5_1(32, 24),
  Q5_0(32, 22),
  Q4_1(32, 20),
  Q4_0(32, 18),
  IQ4_NL(32, 18),
  Q6_K(256, 210),
  Q5_K(256, 176),
  Q4_K(256, 144);

  private final int blockNumbers;
  private final int blockBytes;

  GgmlType(int blockNumbers, int blockBytes) {
    this.blockNumbers = blockNumbers;
    this.blockBytes = blockBytes;
  }

  /** Name of the type as options have it, such as {@code q8_0}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The type of a name. */
  public static Optional<GgmlType> named(String label) {
    return Arrays.stream(values()).filter(type -> type.label().equals(label)).findFirst();
  }

  /** Whether a KV cache may have this type ({@code -ctk}). */
  public boolean isCacheType() {
    return compareTo(Q6_K) < 0;
  }

  /** Whether numbers share scales. */
  boolean isQuantized() {
    return blockNumbers > 1;
  }

  /** Bytes of so many numbers, which fill whole blocks. */
  public long bytes(long numbers) {
    return numbers / blockNumbers * blockBytes;
  }

  /** Bytes of a number relative to those of another type. */
  public double ratioTo(GgmlType other) {
    return (double) blockBytes / blockNumbers * other.blockNumbers / other.blockBytes;
  }

  /** Whether a row of so many numbers fills whole blocks. */
  boolean fits(long rowNumbers) {
    return rowNumbers % blockNumbers == 0;
  }
}
