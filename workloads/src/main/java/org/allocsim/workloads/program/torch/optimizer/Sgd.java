package org.allocsim.workloads.program.torch.optimizer;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;

/** {@code torch.optim.SGD} with momentum, whose buffers begin as copies of the gradients. */
public final class Sgd implements Optimizer {
  private final Torch torch;
  private final Parameters parameters;
  private final boolean momentum;
  private final IdentityHashMap<Tensor, Tensor> buffers = new IdentityHashMap<>();

  /**
   * @param momentum whether there is momentum
   */
  public Sgd(Torch torch, Parameters parameters, boolean momentum) {
    this.torch = torch;
    this.parameters = parameters;
    this.momentum = momentum;
  }

  @Override
  public void step() {
    List<Tensor> changed = new ArrayList<>();
    for (Tensor parameter : parameters.all()) {
      if (parameter.gradient() == null) {
        continue;
      }
      changed.add(parameter);
      if (momentum && !buffers.containsKey(parameter)) {
        buffers.put(parameter, Elementwise.unary(torch, parameter.gradient()));
      }
    }
    if (momentum) {
      // mul_ and add_ of the buffers.
      Foreach.charge(torch, changed, 1, 1);
      Foreach.charge(torch, changed, 2, 2);
    }
    Foreach.charge(torch, changed, 2, 2);
  }

  @Override
  public void release() {
    for (Tensor parameter : parameters.all()) {
      Tensor buffer = buffers.remove(parameter);
      if (buffer != null) {
        buffer.release();
      }
    }
  }
}
