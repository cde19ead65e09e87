package org.allocsim.analysis.idle.join;

import java.util.List;

/**
 * What a memory snapshot of the same run says of the steps of a profile.
 *
 * @param file the snapshot
 * @param sha256 checksum of the file
 * @param steps what the allocator asked of the driver, by step
 * @param matchedSegments segments whose cudaMalloc or cudaFree the profile has
 * @param unmatchedSegments segments for which it has none
 * @param lateNanos how long after the first step its history begins; 0 where it has all of the
 *     steps
 */
public record JoinedMemory(
    String file,
    String sha256,
    List<StepCalls> steps,
    long matchedSegments,
    long unmatchedSegments,
    long lateNanos) {
  /** Keeps its own copy. */
  public JoinedMemory {
    steps = List.copyOf(steps);
  }
}
