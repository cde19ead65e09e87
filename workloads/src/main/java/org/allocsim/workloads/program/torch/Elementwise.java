package org.allocsim.workloads.program.torch;

import java.util.Arrays;

/** Operations on each element alone, and copies. */
public final class Elementwise {
  private Elementwise() {}

  /** States the kernel of an operation on each element of a tensor. */
  public static void charge(Torch torch, Tensor tensor, long operations, long passes) {
    torch
        .device()
        .kernel(operations * tensor.count(), passes * tensor.bytes(), tensor.type().precision());
  }

  /** Result of {@code a ∘ b}: sizes that fit both, the type that holds both. */
  private static Tensor result(Torch torch, Tensor a, Tensor b) {
    DType type = DType.promote(a.type(), b.type());
    long[] sizes = Shape.broadcast(a.sizesShared(), b.sizesShared());
    Tensor model = Arrays.equals(sizes, a.sizesShared()) ? a : b;
    Tensor out =
        Arrays.equals(sizes, model.sizesShared())
            ? torch.emptyLike(model, type)
            : torch.empty(type, sizes);
    charge(torch, out, 1, 3);
    return out;
  }

  /** {@code a + b}. */
  public static Tensor add(Torch torch, Tensor a, Tensor b) {
    Node node = torch.node("AddBackward0", a, b);
    Tensor out = result(torch, a, b);
    return Node.withBackward(node, out, Elementwise::passedOn);
  }

  /** The gradient of a sum is that of both its terms. */
  private static Tensor[] passedOn(Node node, Tensor[] gradients) {
    return new Tensor[] {
      node.needs(0) ? gradients[0].retain() : null, node.needs(1) ? gradients[0].retain() : null
    };
  }

  /** {@code a.add_(b)}; the result is another tensor on the memory of {@code a}. */
  public static Tensor addInPlace(Torch torch, Tensor a, Tensor b) {
    Node node = torch.node("AddBackward0", a, b);
    charge(torch, a, 1, 3);
    Tensor out = a.detached();
    return Node.withBackward(node, out, Elementwise::passedOn);
  }

  /** {@code a + number}. */
  public static Tensor addNumber(Torch torch, Tensor a) {
    Node node = torch.node("AddBackward0", a);
    Tensor out = unary(torch, a);
    return Node.withBackward(node, out, (n, grads) -> new Tensor[] {grads[0].retain()});
  }

  /** {@code a * b}. */
  public static Tensor multiply(Torch torch, Tensor a, Tensor b) {
    Node node = torch.node("MulBackward0", a, b);
    Saved other = torch.save(node, 0, b);
    Saved self = torch.save(node, 1, a);
    Tensor out = result(torch, a, b);
    return Node.withBackward(
        node,
        out,
        (n, grads) -> {
          Tensor second = n.needs(1) ? result(torch, grads[0], self.get()) : null;
          Tensor first = n.needs(0) ? result(torch, grads[0], other.get()) : null;
          return new Tensor[] {first, second};
        });
  }

  /** {@code a * number} or {@code a / number}. */
  public static Tensor scale(Torch torch, Tensor a) {
    Node node = torch.node("MulBackward0", a);
    Tensor out = unary(torch, a);
    return Node.withBackward(node, out, (n, grads) -> new Tensor[] {unary(torch, grads[0])});
  }

  /** {@code a ** exponent} for an exponent above 1. */
  public static Tensor power(Torch torch, Tensor a) {
    Tensor in = torch.autocast().full(a);
    Node node = torch.node("PowBackward0", in);
    Saved self = torch.save(node, in);
    Tensor out = unary(torch, in);
    in.release();
    return Node.withBackward(
        node,
        out,
        (n, grads) -> {
          Tensor lower = unary(torch, self.get());
          Tensor scaled = unary(torch, lower);
          Tensor gradient = result(torch, grads[0], scaled);
          scaled.release();
          lower.release();
          return new Tensor[] {gradient};
        });
  }

  /** A function whose backward pass needs its result, such as {@code tanh}. */
  public static Tensor tanh(Torch torch, Tensor a) {
    Node node = torch.node("TanhBackward0", a);
    Tensor out = unary(torch, a);
    return node == null ? out : savingResult(torch, node, out);
  }

  private static Tensor savingResult(Torch torch, Node node, Tensor out) {
    try (Frame frame = new Frame()) {
      node.produced(frame.own(out), 0);
      Saved result = torch.save(node, out);
      node.setBackward((n, grads) -> new Tensor[] {result(torch, grads[0], result.get())});
      return frame.leave(out);
    }
  }

  /** {@code relu_}: the result takes the place of its input. */
  public static Tensor reluInPlace(Torch torch, Tensor a) {
    Node node = torch.node("ReluBackward0", a);
    charge(torch, a, 1, 2);
    Tensor out = a.detached();
    return node == null ? out : savingResult(torch, node, out);
  }

  /** {@code relu}. */
  public static Tensor relu(Torch torch, Tensor a) {
    Node node = torch.node("ReluBackward0", a);
    Tensor out = unary(torch, a);
    return node == null ? out : savingResult(torch, node, out);
  }

  /** A function with a fused backward pass that needs its input: {@code gelu}, {@code silu}. */
  public static Tensor activation(Torch torch, String name, Tensor a) {
    Node node = torch.node(name + "Backward0", a);
    Saved self = torch.save(node, a);
    Tensor out = unary(torch, a);
    return Node.withBackward(
        node, out, (n, grads) -> new Tensor[] {result(torch, grads[0], self.get())});
  }

  /** A function of each element without a gradient: {@code sin}, {@code cos}, {@code rsqrt}. */
  public static Tensor unary(Torch torch, Tensor a) {
    Tensor out = torch.emptyLike(a, a.type());
    charge(torch, out, 1, 2);
    return out;
  }

  /** A comparison or logical operation. */
  public static Tensor compare(Torch torch, Tensor a) {
    Tensor out = torch.emptyLike(a, DType.BOOL);
    charge(torch, a, 1, 2);
    return out;
  }

  /** {@code dropout} while training: the mask is one byte an element. */
  public static Tensor dropout(Torch torch, Tensor a) {
    try (Frame frame = new Frame()) {
      Node node = torch.node("NativeDropoutBackward0", a);
      Tensor mask = frame.own(torch.emptyLike(a, DType.BOOL));
      Tensor out = frame.own(unary(torch, a));
      if (node != null) {
        node.produced(out, 0);
        Saved kept = torch.save(node, mask);
        node.setBackward((n, grads) -> maskedGradient(torch, grads[0], kept));
      }
      return frame.leave(out);
    }
  }

  private static Tensor[] maskedGradient(Torch torch, Tensor gradient, Saved mask) {
    return new Tensor[] {result(torch, gradient, mask.get())};
  }

  /** {@code tensor.to(type)}: the tensor itself where it has that type. */
  public static Tensor to(Torch torch, Tensor a, DType type) {
    if (a.type() == type) {
      return a.retain();
    }
    Node node = torch.node("ToCopyBackward0", a);
    Tensor out = copyAs(torch, a, type);
    DType before = a.type();
    return Node.withBackward(
        node, out, (n, grads) -> new Tensor[] {copyAs(torch, grads[0], before)});
  }

  /** A copy with another element type and the same layout. */
  static Tensor copyAs(Torch torch, Tensor a, DType type) {
    Tensor out = torch.emptyLike(a, type);
    torch.device().kernel(0, a.bytes() + out.bytes(), type.precision());
    return out;
  }

  /** {@code tensor.contiguous()}: the tensor itself where it is laid out row by row. */
  public static Tensor contiguous(Torch torch, Tensor a) {
    if (a.isContiguous()) {
      return a.retain();
    }
    Node node = torch.node("CloneBackward0", a);
    Tensor out = torch.empty(a.type(), a.sizesShared());
    charge(torch, out, 0, 2);
    return Node.withBackward(node, out, (n, grads) -> new Tensor[] {grads[0].retain()});
  }

  /** A tensor whose elements a kernel fills: {@code zeros}, {@code randn}, {@code arange}. */
  public static Tensor filled(Torch torch, DType type, long... sizes) {
    Tensor out = torch.empty(type, sizes);
    charge(torch, out, 0, 1);
    return out;
  }

  /** {@code tensor.to(device)} of a tensor in the host's memory. */
  public static Tensor toDevice(Torch torch, DType type, boolean pinned, long... sizes) {
    Tensor out = torch.empty(type, sizes);
    torch.device().copy(out.bytes(), true, pinned);
    return out;
  }

  /** {@code tensor.item()} or {@code tensor.cpu()}. */
  public static void toHost(Torch torch, Tensor a) {
    torch.device().copy(a.bytes(), false, false);
  }
}
