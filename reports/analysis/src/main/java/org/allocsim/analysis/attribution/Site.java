package org.allocsim.analysis.attribution;

/** What a program was doing when it allocated or freed memory, as a stack shows it. */
enum Site {
  /** No stack. */
  NONE,
  /** A library asked for its scratch memory. */
  WORKSPACE,
  /** A collective between GPUs. */
  COMMUNICATION,
  /** An optimizer creates its state. */
  OPTIMIZER_START,
  /** Anything else inside a step of an optimizer. */
  OPTIMIZER,
  /** Gradients are freed. */
  ZERO_GRAD,
  /** Gradients are clipped or scaled. */
  GRADIENT_UPKEEP,
  /** A model is loaded, created or moved. */
  MODEL,
  /** A loader or a helper brings a batch to the GPU. */
  LOADER,
  /** A gradient is accumulated into a leaf. */
  ACCUMULATE,
  /** A checkpointed part of the forward pass is run again in the backward pass. */
  RECOMPUTE,
  /** The backward pass. */
  BACKWARD,
  /** Inside a call of a module. */
  MODULE,
  /** The program copies a tensor to the GPU outside of every module. */
  COPY,
  /** The program creates an object of its own. */
  CONSTRUCTOR,
  /** The program, outside of every module. */
  PROGRAM;

  /** What phase of a step it belongs to. */
  Phase phase() {
    return switch (this) {
      case OPTIMIZER_START, OPTIMIZER -> Phase.OPTIMIZER;
      case ZERO_GRAD -> Phase.ZERO_GRAD;
      case MODEL -> Phase.MODEL;
      case ACCUMULATE, RECOMPUTE, BACKWARD -> Phase.BACKWARD;
      case MODULE -> Phase.FORWARD;
      case LOADER, COPY, CONSTRUCTOR, PROGRAM, GRADIENT_UPKEEP -> Phase.PROGRAM;
      case NONE, WORKSPACE, COMMUNICATION -> Phase.SAME;
    };
  }

  /** A phase of training. */
  enum Phase {
    /** Any phase. */
    SAME,
    PROGRAM,
    MODEL,
    FORWARD,
    BACKWARD,
    OPTIMIZER,
    ZERO_GRAD
  }
}
