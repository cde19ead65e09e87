package org.allocsim.workloads.format.pytorch;

/** A sum of bytes that the parts of a snapshot take in memory; an estimate. */
final class HeldBytes {
  private long sum;

  /** Further bytes are held. */
  void add(long bytes) {
    sum += bytes;
  }

  /** All bytes so far; what is let go early still counts. */
  long sum() {
    return sum;
  }
}
