package org.allocsim.workloads.program.llama;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * How {@code llama-quantize} stores the weights of a dense model, for the formats that most people
 * download. Vectors are float32 in all of them.
 *
 * <p><b>Source.</b> llama.cpp, {@code llama_tensor_get_type} of {@code src/llama-quant.cpp}, 2024
 * to 2026; sizes agree with the buffers that llama.cpp prints ({@code ModelWeightsTest}).
 */
public enum WeightFormat {
  F16(GgmlType.F16, GgmlType.F16, false),
  BF16(GgmlType.BF16, GgmlType.BF16, false),
  Q8_0(GgmlType.Q8_0, GgmlType.Q8_0, false),
  Q6_K(GgmlType.Q6_K, GgmlType.Q6_K, false),
  Q5_K_M(GgmlType.Q5_K, GgmlType.Q6_K, true),
  Q4_K_M(GgmlType.Q4_K, GgmlType.Q6_K, true),
  Q4_0(GgmlType.Q4_0, GgmlType.Q6_K, false);

  private final GgmlType most;
  private final GgmlType output;
  private final boolean isMixed;

  WeightFormat(GgmlType most, GgmlType output, boolean isMixed) {
    this.most = most;
    this.output = output;
    this.isMixed = isMixed;
  }

  /** The format of a name, such as {@code Q4_K_M}. */
  public static Optional<WeightFormat> named(String name) {
    return Arrays.stream(values())
        .filter(format -> format.name().equals(name.toUpperCase(Locale.ROOT)))
        .findFirst();
  }

  /** Type of most matrices. */
  GgmlType most() {
    return most;
  }

  /** Type of the matrix that makes logits. */
  GgmlType output() {
    return output;
  }

  /** Type of the embedding. */
  GgmlType embedding(boolean isTied) {
    return isTied ? output : most;
  }

  /** Type of the matrices of values and of the feed-forward output, which matter most. */
  GgmlType sensitive(int layer, int layers) {
    boolean getsMore =
        layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
    return isMixed && getsMore ? GgmlType.Q6_K : most;
  }
}
