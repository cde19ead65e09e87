package org.allocsim.workloads.program.parallel;

/**
 * What a rank of a pipeline does next.
 *
 * @param phase forward, or a part of backward
 * @param stage of the whole pipeline, counted from 0
 * @param microbatch counted from 0
 */
record PipelineStep(Phase phase, int stage, int microbatch) {
  /** Kinds of work. */
  enum Phase {
    FORWARD,
    /** Gradients of inputs and of weights. */
    BACKWARD,
    /** Gradients of inputs only, for the stage before. */
    BACKWARD_INPUT,
    /** Gradients of weights, which nobody waits for. */
    BACKWARD_WEIGHT
  }

  @Override
  public String toString() {
    String letter =
        switch (phase) {
          case FORWARD -> "F";
          case BACKWARD -> "B";
          case BACKWARD_INPUT -> "I";
          case BACKWARD_WEIGHT -> "W";
        };
    return stage + letter + microbatch;
  }
}
