package org.allocsim.workloads.program.torch;

/** Functions that end a forward pass. */
public final class Losses {
  private Losses() {}

  /** {@code scores.square().mean()} of a temporary tensor, whose reference it takes over. */
  public static Tensor meanSquare(Torch torch, Tensor scores) {
    Tensor square = Elementwise.power(torch, scores);
    scores.release();
    Tensor mean = Reductions.mean(torch, square);
    square.release();
    return mean;
  }

  /** {@code F.cross_entropy(logits, classes)}; autocast raises the precision after the softmax. */
  public static Tensor crossEntropy(Torch torch, Tensor logits, Tensor classes) {
    try (Frame frame = new Frame()) {
      Tensor logarithms = frame.own(logSoftmax(torch, logits));
      Tensor precise = frame.own(torch.autocast().full(logarithms));
      return negativeLikelihood(torch, precise, classes);
    }
  }

  private static Tensor logSoftmax(Torch torch, Tensor a) {
    Node node = torch.node("LogSoftmaxBackward0", a);
    Tensor out = Elementwise.unary(torch, a);
    if (node == null) {
      return out;
    }
    node.produced(out, 0);
    torch.save(node, out);
    node.setBackward((n, grads) -> new Tensor[] {Elementwise.unary(torch, grads[0])});
    return out;
  }

  private static Tensor negativeLikelihood(Torch torch, Tensor a, Tensor classes) {
    Node node = torch.node("NllLossBackward0", a);
    Saved input = torch.save(node, a);
    if (node != null) {
      torch.save(node, classes);
    }
    Tensor out = torch.empty(a.type());
    Tensor weight = torch.empty(a.type());
    Elementwise.charge(torch, classes, 1, 2);
    if (node != null) {
      torch.save(node, weight);
      node.produced(out, 0);
      node.setBackward((n, grads) -> new Tensor[] {Elementwise.unary(torch, input.get())});
    }
    weight.release();
    return out;
  }
}
