package org.allocsim.analysis.attribution;

import org.allocsim.analysis.attribution.Site.Phase;

/** What stacks and lifetimes say about a recording whose stacks show calls of modules. */
final class StackRules {
  /**
   * cuBLAS's workspace of a handle and stream as PyTorch asks for it: 32 MiB on Hopper, 8.125 MiB
   * before. Source: {@code parseChosenWorkspaceSize} in PyTorch's CublasHandlePool.cpp.
   */
  private static final long[] CUBLAS_BYTES = {33_554_432, 8_519_680};

  /** What is held over more backward passes than this does not belong to one step. */
  private static final int ONE_STEP = 1;

  private final Lifetimes lives;

  StackRules(Lifetimes lives) {
    this.lives = lives;
  }

  /** A finding: category and certainty together. */
  record Finding(Category category, Certainty certainty) {
    /** Nothing is known. */
    static final Finding UNKNOWN = new Finding(Category.UNKNOWN, Certainty.UNKNOWN);

    static Finding stack(Category category) {
      return new Finding(category, Certainty.STACK);
    }

    static Finding inferred(Category category) {
      return new Finding(category, Certainty.INFERRED);
    }
  }

  /** What an allocation with this site is for. */
  Finding of(int allocation, Site site) {
    return switch (site) {
      case WORKSPACE -> Finding.stack(Category.WORKSPACE);
      case COMMUNICATION -> Finding.stack(Category.COMMUNICATION);
      case ACCUMULATE -> Finding.stack(Category.GRADIENT);
      case OPTIMIZER_START, OPTIMIZER ->
          Finding.stack(
              lives.staysInPhase(allocation) ? Category.TEMPORARY : Category.OPTIMIZER_STATE);
      case MODEL ->
          Finding.stack(lives.staysInPhase(allocation) ? Category.TEMPORARY : Category.PARAMETER);
      case LOADER -> Finding.stack(Category.INPUT);
      case GRADIENT_UPKEEP, ZERO_GRAD ->
          lives.isGiven(allocation) ? Finding.inferred(Category.TEMPORARY) : Finding.UNKNOWN;
      case COPY ->
          lives.awaitsForward(allocation) ? Finding.stack(Category.INPUT) : forward(allocation);
      case CONSTRUCTOR ->
          lives.backwardsHeld(allocation) > ONE_STEP
              ? Finding.inferred(Category.PARAMETER)
              : forward(allocation);
      case PROGRAM -> program(allocation);
      case MODULE -> forward(allocation);
      case RECOMPUTE -> recomputed(allocation);
      case BACKWARD -> backward(allocation);
      case NONE -> withoutStack(allocation);
    };
  }

  private Finding program(int allocation) {
    if (!lives.awaitsForward(allocation)) {
      return forward(allocation);
    }
    boolean isOfOneStep =
        lives.isGiven(allocation) && lives.backwardsHeld(allocation) <= ONE_STEP + 1;
    boolean isInLastStep =
        !lives.isGiven(allocation) && lives.backwardsHeld(allocation) <= ONE_STEP;
    return lives.backwards() > 0 && (isOfOneStep || isInLastStep)
        ? Finding.inferred(Category.INPUT)
        : Finding.UNKNOWN;
  }

  private Finding forward(int allocation) {
    int held = lives.backwardsHeld(allocation);
    if (held > 0 && isWorkspace(allocation)) {
      return Finding.inferred(Category.WORKSPACE);
    }
    if (!lives.isGiven(allocation)) {
      return held == ONE_STEP && lives.endsInBackward()
          ? Finding.inferred(Category.SAVED_ACTIVATION)
          : Finding.UNKNOWN;
    }
    if (held == 0) {
      return Finding.inferred(Category.TEMPORARY);
    }
    return held == 1 ? Finding.inferred(Category.SAVED_ACTIVATION) : Finding.UNKNOWN;
  }

  private Finding recomputed(int allocation) {
    if (!lives.isGiven(allocation)) {
      return Finding.UNKNOWN;
    }
    if (lives.givenAt(allocation) == Site.RECOMPUTE) {
      return Finding.inferred(Category.TEMPORARY);
    }
    return lives.staysInPhase(allocation)
        ? Finding.inferred(Category.SAVED_ACTIVATION)
        : Finding.UNKNOWN;
  }

  private Finding backward(int allocation) {
    if (lives.staysInPhase(allocation)) {
      return Finding.inferred(Category.TEMPORARY);
    }
    if (isWorkspace(allocation)) {
      return Finding.inferred(Category.WORKSPACE);
    }
    return lives.isGiven(allocation) || lives.outlivesPhase(allocation)
        ? Finding.inferred(Category.GRADIENT)
        : Finding.UNKNOWN;
  }

  private Finding withoutStack(int allocation) {
    if (lives.isBefore(allocation)) {
      return lives.givenIn(allocation) == Phase.ZERO_GRAD
          ? Finding.inferred(Category.GRADIENT)
          : Finding.UNKNOWN;
    }
    return switch (lives.takenIn(allocation)) {
      case BACKWARD -> backward(allocation);
      case OPTIMIZER ->
          Finding.inferred(
              lives.staysInPhase(allocation) ? Category.TEMPORARY : Category.OPTIMIZER_STATE);
      case SAME, PROGRAM, MODEL, FORWARD, ZERO_GRAD -> Finding.UNKNOWN;
    };
  }

  /** Whether a pass allocated it in cuBLAS's size, and no request follows its free. */
  private boolean isWorkspace(int allocation) {
    if (lives.isKept(allocation)) {
      for (long bytes : CUBLAS_BYTES) {
        if (lives.bytes(allocation) == bytes) {
          return true;
        }
      }
    }
    return false;
  }
}
