package org.allocsim.workloads.program.torch;

/** Normalisation over features or over a batch. */
public final class Normalization {
  private Normalization() {}

  /** {@code F.layer_norm} over the last dimension; in single precision under autocast. */
  public static Tensor layerNorm(Torch torch, Tensor a, Tensor weight, Tensor bias) {
    try (Frame frame = new Frame()) {
      Tensor in = frame.own(torch.autocast().full(a));
      Node node = torch.node("NativeLayerNormBackward0", in, weight, bias);
      if (node != null) {
        torch.save(node, bias);
        Saved input = torch.save(node, in);
        Saved scale = torch.save(node, weight);
        node.setBackward((n, grads) -> layerNormGradients(torch, n, input.get(), scale.get()));
      }
      Tensor out = frame.own(Elementwise.unary(torch, in));
      long rows = in.count() / in.size(-1);
      Tensor mean = frame.own(torch.empty(DType.FLOAT32, rows));
      Tensor deviation = frame.own(torch.empty(DType.FLOAT32, rows));
      if (node != null) {
        node.produced(out, 0);
        torch.save(node, mean);
        torch.save(node, deviation);
      }
      return frame.leave(out);
    }
  }

  private static Tensor[] layerNormGradients(Torch torch, Node n, Tensor input, Tensor weight) {
    Tensor[] results = new Tensor[3];
    if (n.needs(0)) {
      results[0] = Elementwise.unary(torch, input);
    }
    if (n.needs(1)) {
      results[1] = Elementwise.unary(torch, weight);
    }
    if (n.needs(2)) {
      results[2] = Elementwise.unary(torch, weight);
    }
    return results;
  }
}
