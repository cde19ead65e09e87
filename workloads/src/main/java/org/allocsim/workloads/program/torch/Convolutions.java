package org.allocsim.workloads.program.torch;

import org.allocsim.workloads.program.torch.kernel.Tiles;
import org.jspecify.annotations.Nullable;

/** Convolutions of images by cuDNN, and what pools them. */
public final class Convolutions {
  private Convolutions() {}

  /**
   * {@code F.conv2d}; without a bias where that is null.
   *
   * @param stride distance of windows
   * @param padding zeros around the image
   */
  public static Tensor conv2d(
      Torch torch, Tensor a, Tensor weight, @Nullable Tensor bias, int stride, int padding) {
    try (Frame frame = new Frame()) {
      Tensor castBias = bias == null ? null : frame.own(torch.autocast().half(bias));
      Tensor w = frame.own(torch.autocast().half(weight));
      Tensor x = frame.own(torch.autocast().half(a));
      Node node = torch.node("ConvolutionBackward0", x, w, castBias);
      Saved input = torch.save(node, x);
      Saved filter = torch.save(node, w);
      long height = (x.size(2) + 2L * padding - w.size(2)) / stride + 1;
      long width = (x.size(3) + 2L * padding - w.size(3)) / stride + 1;
      frame.own(torch.contiguous(x));
      Tensor out = torch.empty(x.type(), x.size(0), w.size(0), height, width);
      ConvolutionPlan plan = ConvolutionPlan.of(x, w, out, stride);
      torch.scratch(plan.forwardBytes());
      charge(torch, x, w, out, plan.converts(plan.forwardBytes()));
      if (bias != null) {
        Elementwise.charge(torch, out, 1, 2);
      }
      return Node.withBackward(
          node, out, (n, grads) -> gradients(torch, n, grads[0], input.get(), filter.get(), plan));
    }
  }

  /** The kernels of a pass; the copies into and out of another layout are kernels themselves. */
  private static void charge(Torch torch, Tensor x, Tensor w, Tensor out, boolean converts) {
    if (converts) {
      Elementwise.charge(torch, x, 0, 2);
      Elementwise.charge(torch, out, 0, 2);
      if (w.size(2) > 1 || w.size(3) > 1) {
        Elementwise.charge(torch, w, 0, 2);
      }
    }
    long pixels = out.count() / out.size(1);
    torch
        .device()
        .kernel(
            Tiles.operations(1, pixels, out.size(1), w.count() / w.size(0)),
            x.bytes() + w.bytes() + out.bytes(),
            out.type().precision());
  }

  private static Tensor[] gradients(
      Torch torch, Node n, Tensor gradient, Tensor x, Tensor w, ConvolutionPlan plan) {
    Tensor rows = torch.contiguous(gradient);
    Tensor[] results = new Tensor[3];
    if (n.needs(0)) {
      results[0] = torch.empty(x.type(), x.sizesShared());
      torch.scratch(plan.backwardInputBytes());
      charge(torch, x, w, rows, plan.converts(plan.backwardInputBytes()));
    }
    if (n.needs(1)) {
      results[1] = torch.empty(w.type(), w.sizesShared());
      torch.scratch(plan.backwardFilterBytes());
      charge(torch, x, w, rows, plan.converts(plan.backwardFilterBytes()));
    }
    rows.release();
    if (n.needs(2)) {
      results[2] = Reductions.sumChannels(torch, gradient);
    }
    return results;
  }

  /** {@code F.max_pool2d}, which keeps where each largest value was. */
  public static Tensor maxPool(Torch torch, Tensor a, int window, int stride, int padding) {
    try (Frame frame = new Frame()) {
      Node node = torch.node("MaxPool2DWithIndicesBackward0", a);
      Saved input = torch.save(node, a);
      long height = (a.size(2) + 2L * padding - window) / stride + 1;
      long width = (a.size(3) + 2L * padding - window) / stride + 1;
      Tensor out = frame.own(torch.empty(a.type(), a.size(0), a.size(1), height, width));
      Tensor places = frame.own(torch.empty(DType.INT64, a.size(0), a.size(1), height, width));
      Elementwise.charge(torch, a, 1, 2);
      if (node != null) {
        node.produced(out, 0);
        torch.save(node, places);
        node.setBackward((n, grads) -> new Tensor[] {Elementwise.unary(torch, input.get())});
      }
      return frame.leave(out);
    }
  }

  /** {@code F.adaptive_avg_pool2d(a, (1, 1))}: a mean over the image. */
  public static Tensor averagePool(Torch torch, Tensor a) {
    Node node = torch.node("MeanBackward1", a);
    Tensor out = torch.empty(a.type(), a.size(0), a.size(1), 1, 1);
    Elementwise.charge(torch, a, 1, 1);
    return Reductions.mean(torch, node, a, out);
  }
}
