package org.allocsim.workloads.program.parallel;

import java.util.List;
import org.allocsim.workloads.program.model.Block;
import org.allocsim.workloads.program.torch.Tensor;

/** A block that is split among ranks. */
abstract class SplitBlock implements Block {
  final TensorSplit split;

  /** In the order of {@code parameters()}. */
  final Tensor[] parameters;

  SplitBlock(TensorSplit split, int parameters) {
    this.split = split;
    this.parameters = new Tensor[parameters];
  }

  /** {@code parallelize_module}: each rank gets its part of each weight; the whole ones go. */
  abstract void split();

  @Override
  public final List<Tensor> parameters() {
    return List.of(parameters);
  }

  @Override
  public final void compute(List<Tensor> tensors) {
    tensors.toArray(parameters);
  }
}
