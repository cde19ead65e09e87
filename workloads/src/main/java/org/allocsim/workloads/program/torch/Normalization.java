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
        node.setBackward(
            (n, grads) -> layerNormGradients(torch, n, grads[0], input.get(), scale.get()));
      }
      Tensor rowsOfInput = frame.own(torch.contiguous(in));
      Tensor out = frame.own(Elementwise.unary(torch, rowsOfInput));
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

  private static Tensor[] layerNormGradients(
      Torch torch, Node n, Tensor gradient, Tensor input, Tensor weight) {
    Tensor[] results = new Tensor[3];
    Tensor rows = torch.contiguous(input);
    if (n.needs(0)) {
      results[0] = torch.empty(rows.type(), rows.sizesShared());
    }
    if (n.needs(1)) {
      results[1] = Elementwise.unary(torch, weight);
    }
    if (n.needs(2)) {
      results[2] = Elementwise.unary(torch, weight);
    }
    Tensor gradientRows = torch.contiguous(gradient);
    Elementwise.charge(torch, rows, 10, 3);
    gradientRows.release();
    rows.release();
    return results;
  }

  /**
   * {@code F.batch_norm} of images by cuDNN. While training the statistics of the batch are kept
   * for the backward pass.
   *
   * @param scale weight, bias, running mean and running variance
   */
  public static Tensor batchNorm(Torch torch, Tensor a, Tensor[] scale, boolean training) {
    try (Frame frame = new Frame()) {
      Node node = torch.node("CudnnBatchNormBackward0", a, scale[0], scale[1]);
      if (node != null) {
        Saved input = torch.save(node, a);
        Saved weight = torch.save(node, scale[0]);
        node.setBackward(
            (n, grads) -> batchNormGradients(torch, grads[0], input.get(), weight.get()));
      }
      Tensor out = frame.own(torch.emptyLike(a, a.type()));
      // Statistics need a pass over the images of their own.
      Elementwise.charge(torch, a, 5, training ? 3 : 2);
      if (training) {
        Tensor mean = frame.own(torch.empty(DType.FLOAT32, a.size(1)));
        Tensor deviation = frame.own(torch.empty(DType.FLOAT32, a.size(1)));
        if (node != null) {
          torch.save(node, mean);
          torch.save(node, deviation);
        }
      }
      return frame.leave(node == null ? out : node.produced(out, 0));
    }
  }

  private static Tensor[] batchNormGradients(
      Torch torch, Tensor gradient, Tensor input, Tensor weight) {
    Tensor rows = torch.contiguous(gradient);
    Tensor[] results = {
      torch.emptyLike(input, input.type()),
      torch.emptyLike(weight, weight.type()),
      torch.emptyLike(weight, weight.type())
    };
    // Images and gradients are read for the sums and once more for the result.
    Elementwise.charge(torch, input, 10, 5);
    rows.release();
    return results;
  }
}
