package org.allocsim.workloads.program.parallel;

import org.allocsim.workloads.program.torch.Attention;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Frame;
import org.allocsim.workloads.program.torch.Normalization;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.Views;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/**
 * {@code x + o(attention(q(y), k(y), v(y)))} with {@code y = norm(x)}, whose linears are split
 * among ranks: each has some of the heads.
 */
final class SplitAttention extends SplitBlock {
  private static final int NORM = 8;

  private final long features;

  /** Weights and biases of q, k, v, o and the norm go to the device now, all of them whole. */
  SplitAttention(TensorSplit split, long width, long heads) {
    super(split, NORM + 2);
    features = width / heads;
    Parameters whole = split.whole();
    for (int i = 0; i < NORM; i += 2) {
      parameters[i] = whole.add(width, width);
      parameters[i + 1] = whole.add(width);
    }
    parameters[NORM] = whole.add(width);
    parameters[NORM + 1] = whole.add(width);
  }

  @Override
  void split() {
    for (int i = 0; i < NORM - 2; i++) {
      parameters[i] = split.outputs(parameters[i]);
    }
    parameters[NORM - 2] = split.inputs(parameters[NORM - 2]);
    split.same(parameters[NORM - 1]);
  }

  @Override
  public Tensor forward(Tensor input) {
    Torch torch = split.torch();
    try (Frame frame = new Frame()) {
      Tensor x =
          frame.own(Normalization.layerNorm(torch, input, parameters[NORM], parameters[NORM + 1]));
      if (split.splitsTokens()) {
        x = frame.rebind(x, split.enter(x));
      }
      Tensor[] parts = new Tensor[3];
      for (int i = 0; i < parts.length; i++) {
        parts[i] = frame.own(heads(x, 2 * i));
      }
      Tensor out = frame.own(Attention.attend(torch, parts[0], parts[1], parts[2]));
      out = frame.rebind(out, Views.transpose(torch, out, 1, 2));
      out =
          frame.rebind(
              out, Views.reshape(torch, out, out.size(0), out.size(1), out.size(2) * out.size(3)));
      out = frame.rebind(out, split.leave(out, parameters[NORM - 2], parameters[NORM - 1]));
      return Elementwise.add(torch, input, out);
    }
  }

  /** A projection, with heads apart. Without split tokens each adds its gradient up by itself. */
  private Tensor heads(Tensor x, int weight) {
    Torch torch = split.torch();
    try (Frame frame = new Frame()) {
      Tensor y = frame.own(split.splitsTokens() ? x.retain() : split.enter(x));
      y = frame.rebind(y, Products.linear(torch, y, parameters[weight], parameters[weight + 1]));
      y =
          frame.rebind(
              y, Views.view(torch, y, y.size(0), y.size(1), y.size(2) / features, features));
      return frame.leave(frame.rebind(y, Views.transpose(torch, y, 1, 2)));
    }
  }
}
