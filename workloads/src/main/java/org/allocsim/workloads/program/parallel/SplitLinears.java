package org.allocsim.workloads.program.parallel;

import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Frame;
import org.allocsim.workloads.program.torch.Normalization;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/** {@code x + b(gelu(a(norm(x))))} whose linears are split among ranks. */
final class SplitLinears extends SplitBlock {
  /** A block whose parameters go to the device now, all of them whole. */
  SplitLinears(TensorSplit split, long width, long inner) {
    super(split, 6);
    Parameters whole = split.whole();
    parameters[0] = whole.add(inner, width);
    parameters[1] = whole.add(inner);
    parameters[2] = whole.add(width, inner);
    parameters[3] = whole.add(width);
    parameters[4] = whole.add(width);
    parameters[5] = whole.add(width);
  }

  @Override
  void split() {
    parameters[0] = split.outputs(parameters[0]);
    parameters[1] = split.outputs(parameters[1]);
    parameters[2] = split.inputs(parameters[2]);
    split.same(parameters[3]);
  }

  @Override
  public Tensor forward(Tensor input) {
    Torch torch = split.torch();
    try (Frame frame = new Frame()) {
      Tensor x = frame.own(Normalization.layerNorm(torch, input, parameters[4], parameters[5]));
      x = frame.rebind(x, split.enter(x));
      x = frame.rebind(x, Products.linear(torch, x, parameters[0], parameters[1]));
      x = frame.rebind(x, Elementwise.activation(torch, "Gelu", x));
      x = frame.rebind(x, split.leave(x, parameters[2], parameters[3]));
      return Elementwise.add(torch, input, x);
    }
  }
}
