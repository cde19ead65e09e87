package org.allocsim.workloads.program.torch;

import java.util.function.UnaryOperator;

/** A {@code torch.autograd.Function} of one tensor. */
public final class CustomFunction {
  private CustomFunction() {}

  /**
   * Applies a function.
   *
   * @param forward makes its result, which it gives away, without recording
   * @param backward makes the gradient of its input from that of its result
   */
  public static Tensor apply(
      Torch torch, Tensor a, UnaryOperator<Tensor> forward, UnaryOperator<Tensor> backward) {
    Node node = torch.node("CustomFunctionBackward", a);
    Tensor[] out = new Tensor[1];
    torch.withoutGradients(() -> out[0] = forward.apply(a));
    return Node.withBackward(node, out[0], (n, grads) -> new Tensor[] {backward.apply(grads[0])});
  }

  /** The tensor itself, on whose gradient a function is applied. */
  public static Tensor onGradient(Torch torch, Tensor a, UnaryOperator<Tensor> backward) {
    return apply(torch, a, CustomFunction::alias, backward);
  }

  /** The tensor itself, with something to run when its gradient has arrived. */
  public static Tensor watched(Torch torch, Tensor a, Runnable whenGradientArrives) {
    return onGradient(
        torch,
        a,
        gradient -> {
          whenGradientArrives.run();
          return gradient.retain();
        });
  }

  private static Tensor alias(Tensor a) {
    return new Tensor(a.sizesShared(), a.stridesShared(), a.type(), a.storage(), a.root());
  }
}
