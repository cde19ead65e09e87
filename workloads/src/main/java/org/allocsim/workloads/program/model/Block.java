package org.allocsim.workloads.program.model;

import java.util.List;
import org.allocsim.workloads.program.torch.Tensor;

/** One of the parts of which a model is a sequence. */
public interface Block {
  /** Its parameters, in the order of {@code parameters()}. */
  List<Tensor> parameters();

  /**
   * Lets it compute with other tensors in place of its parameters, such as what sharding gathers.
   *
   * @param tensors in the order of {@link #parameters}; they stay with the caller
   */
  void compute(List<Tensor> tensors);

  /** Its result, which the caller owns. */
  Tensor forward(Tensor input);
}
