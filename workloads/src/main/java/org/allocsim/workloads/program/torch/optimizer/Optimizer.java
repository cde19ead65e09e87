package org.allocsim.workloads.program.torch.optimizer;

/** Changes parameters by their gradients. */
public interface Optimizer {
  /** One step over the parameters that have gradients. */
  void step();

  /** Gives back what the steps made. */
  void release();
}
