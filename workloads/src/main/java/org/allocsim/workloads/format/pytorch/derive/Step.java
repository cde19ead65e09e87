package org.allocsim.workloads.format.pytorch.derive;

import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;

/**
 * A run of rows that one request or more must have caused: frees that complete and memory that is
 * released or obtained, up to the allocation or failure that ends it.
 *
 * @param row first row of the run
 * @param completions number of frees that complete at its start, before anything else
 * @param allCompletions number of frees that complete in it
 * @param firstRelease first row in which memory is released, −1 if none is
 * @param grows whether memory is obtained after the last release
 * @param request row of the allocation or failure, or of what ends the run without one
 * @param requested whether an allocation or failure ends the run
 * @param failed whether a failure ends it
 */
record Step(
    int row,
    int completions,
    int allCompletions,
    int firstRelease,
    boolean grows,
    int request,
    boolean requested,
    boolean failed) {
  static Step at(EffectLog effects, int row) {
    int request = row;
    int completions = 0;
    int allCompletions = 0;
    int firstRelease = -1;
    boolean grows = false;
    while (request < effects.count() && isCause(effects.kind(request))) {
      switch (effects.kind(request)) {
        case FREE_COMPLETED -> {
          completions += request == row + completions ? 1 : 0;
          allCompletions++;
        }
        case SEGMENT_FREE, SEGMENT_UNMAP -> {
          firstRelease = firstRelease < 0 ? request : firstRelease;
          grows = false;
        }
        default -> grows = true;
      }
      request++;
    }
    EffectKind end = request < effects.count() ? effects.kind(request) : EffectKind.SNAPSHOT;
    boolean failed = end == EffectKind.OOM;
    return new Step(
        row,
        completions,
        allCompletions,
        firstRelease,
        grows,
        request,
        failed || end == EffectKind.ALLOC,
        failed);
  }

  private static boolean isCause(EffectKind kind) {
    return switch (kind) {
      case FREE_COMPLETED, SEGMENT_ALLOC, SEGMENT_FREE, SEGMENT_MAP, SEGMENT_UNMAP -> true;
      case ALLOC, FREE_REQUESTED, OOM, SNAPSHOT -> false;
    };
  }

  /** Whether memory is released in the run. */
  boolean releases() {
    return firstRelease >= 0;
  }
}
