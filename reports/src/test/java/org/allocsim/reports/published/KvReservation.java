package org.allocsim.reports.published;

/** How a server sets memory for keys and values aside for a request (SOSP 2023, section 6.1). */
public enum KvReservation {
  /** Blocks as the sequence grows (vLLM). */
  PAGED("vLLM"),
  /** The model's longest sequence, contiguous. */
  MAXIMUM("Orca (Max)"),
  /** The prompt and the next power of two of the true output, contiguous. */
  POWER_OF_TWO("Orca (Pow2)"),
  /** The true length, contiguous; no server knows it. */
  ORACLE("Orca (Oracle)");

  private final String label;

  KvReservation(String label) {
    this.label = label;
  }

  /** Name in the paper. */
  public String label() {
    return label;
  }

  /** Slots that are set aside at once for a request that will have these lengths. */
  int slots(int promptTokens, int outputTokens, int maxTokens) {
    return switch (this) {
      case PAGED -> promptTokens;
      case MAXIMUM -> maxTokens;
      case ORACLE -> promptTokens + outputTokens;
      case POWER_OF_TWO -> Math.min(maxTokens, promptTokens + nextPowerOfTwo(outputTokens));
    };
  }

  private static int nextPowerOfTwo(int number) {
    return number == 1 ? 1 : Integer.highestOneBit(number - 1) << 1;
  }
}
