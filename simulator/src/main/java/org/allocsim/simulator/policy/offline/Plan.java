package org.allocsim.simulator.policy.offline;

/**
 * Where each buffer lies.
 *
 * @param offsets by buffer number
 * @param heightBytes end of the buffer that reaches highest
 * @param provenBytes height that no plan of these lifetimes is below, as far as that was shown
 */
record Plan(long[] offsets, long heightBytes, long provenBytes) {
  /** A plan with the height that its offsets have. */
  static Plan of(Lifetimes lifetimes, long[] offsets, long provenBytes) {
    long height = 0;
    for (int buffer = 0; buffer < offsets.length; buffer++) {
      height = Math.max(height, offsets[buffer] + lifetimes.bytes()[buffer]);
    }
    return new Plan(offsets, height, provenBytes);
  }

  /** Whether no plan is lower. */
  boolean isOptimal() {
    return heightBytes == provenBytes;
  }
}
