package org.allocsim.workloads.program.torch;

/** Where gradients of a parameter end. */
final class AccumulateGrad extends Node {
  private final Tensor parameter;

  AccumulateGrad(Tensor parameter, long stream) {
    super("AccumulateGrad", Long.MAX_VALUE, stream, new Edge[0]);
    this.parameter = parameter;
    retain();
  }

  Tensor parameter() {
    return parameter;
  }
}
