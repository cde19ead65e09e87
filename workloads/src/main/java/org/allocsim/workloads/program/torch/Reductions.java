package org.allocsim.workloads.program.torch;

import org.allocsim.workloads.program.torch.kernel.ReductionPlan;
import org.jspecify.annotations.Nullable;

/** Sums and means. */
public final class Reductions {
  private Reductions() {}

  /** Memory for partial results lives while the kernel runs. */
  static void scratch(Torch torch, ReductionPlan plan) {
    if (plan.partsBytes() > 0) {
      Tensor parts = torch.buffer(plan.partsBytes());
      Tensor turns = torch.buffer(plan.turnsBytes());
      turns.release();
      parts.release();
    }
  }

  private static Tensor whole(Torch torch, Tensor a) {
    Tensor out = torch.empty(a.type());
    scratch(torch, ReductionPlan.of(a.count(), 1, true, true, 4));
    Elementwise.charge(torch, a, 1, 1);
    return out;
  }

  /** {@code a.sum()}. */
  public static Tensor sum(Torch torch, Tensor a) {
    Tensor in = torch.autocast().full(a);
    Node node = torch.node("SumBackward0", in);
    Tensor out = whole(torch, in);
    in.release();
    long[] sizes = a.sizesShared();
    return Node.withBackward(
        node, out, (n, grads) -> new Tensor[] {Views.expand(torch, grads[0], sizes)});
  }

  /** {@code a.mean()}. */
  public static Tensor mean(Torch torch, Tensor a) {
    Node node = torch.node("MeanBackward0", a);
    return mean(torch, node, a, whole(torch, a));
  }

  /** A mean that is made already; its gradient is repeated wherever elements were. */
  static Tensor mean(Torch torch, @Nullable Node node, Tensor a, Tensor out) {
    long[] sizes = a.sizesShared();
    return Node.withBackward(
        node,
        out,
        (n, grads) -> {
          Tensor repeated = torch.empty(grads[0].type(), sizes);
          Elementwise.charge(torch, repeated, 1, 1);
          return new Tensor[] {repeated};
        });
  }

  /** Sum over the leading dimensions, down to the last, as gradients of biases are made. */
  static Tensor sumRows(Torch torch, Tensor a) {
    long columns = a.size(-1);
    Tensor out = torch.empty(a.type(), columns);
    scratch(torch, ReductionPlan.of(a.count() / columns, columns, false, false, 4));
    Elementwise.charge(torch, a, 1, 1);
    return out;
  }

  /** Sum over all but the second dimension, as gradients of a convolution's biases are made. */
  static Tensor sumChannels(Torch torch, Tensor a) {
    long channels = a.size(1);
    Tensor out = torch.empty(a.type(), channels);
    boolean fastest = a.stridesShared()[1] != 1;
    scratch(torch, ReductionPlan.of(a.count() / channels, channels, fastest, false, 4));
    Elementwise.charge(torch, a, 1, 1);
    return out;
  }

  /** Sum over the last dimension. */
  static Tensor sumColumns(Torch torch, Tensor a, boolean keepsDimension) {
    long[] sizes = a.sizes();
    long columns = sizes[sizes.length - 1];
    sizes[sizes.length - 1] = 1;
    if (!keepsDimension) {
      sizes = java.util.Arrays.copyOf(sizes, sizes.length - 1);
    }
    Tensor out = torch.empty(a.type(), sizes);
    scratch(torch, ReductionPlan.of(columns, a.count() / columns, true, false, 4));
    Elementwise.charge(torch, a, 1, 1);
    return out;
  }

  /** Mean over the last dimension, which stays with size 1, without a gradient. */
  public static Tensor meanOfLast(Torch torch, Tensor a) {
    return sumColumns(torch, a, true);
  }

  /** The gradient of something repeated: summed to the sizes it had before ({@code sum_to}). */
  static Tensor sumTo(Torch torch, Tensor a, long[] sizes) {
    long outputs = Shape.count(sizes);
    Tensor out = torch.empty(a.type(), sizes);
    boolean leading = sizes.length > 0 && sizes[sizes.length - 1] == a.size(-1);
    scratch(torch, ReductionPlan.of(a.count() / outputs, outputs, !leading, outputs == 1, 4));
    Elementwise.charge(torch, a, 1, 1);
    return out;
  }
}
