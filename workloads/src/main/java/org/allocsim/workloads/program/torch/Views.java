package org.allocsim.workloads.program.torch;

import java.util.List;

/** Other sizes and strides on the same memory; copies where a view cannot have them. */
public final class Views {
  private Views() {}

  private static Tensor view(Tensor a, long[] sizes, long[] strides) {
    return new Tensor(sizes, strides, a.type(), a.storage(), a.root());
  }

  /** {@code a.view(sizes)}, which must be possible. */
  public static Tensor view(Torch torch, Tensor a, long... wanted) {
    long[] sizes = Shape.resolved(a.count(), wanted);
    long[] strides = Shape.viewed(a.sizesShared(), a.stridesShared(), sizes);
    if (strides == null) {
      throw new IllegalArgumentException(a + " cannot be viewed with these sizes");
    }
    Node node = torch.node("ViewBackward0", a);
    Tensor out = view(a, sizes, strides);
    long[] before = a.sizesShared();
    return Node.withBackward(
        node, out, (n, grads) -> new Tensor[] {reshapeOnly(torch, grads[0], before)});
  }

  /** {@code a.reshape(sizes)}. */
  public static Tensor reshape(Torch torch, Tensor a, long... wanted) {
    long[] sizes = Shape.resolved(a.count(), wanted);
    if (Shape.viewed(a.sizesShared(), a.stridesShared(), sizes) != null) {
      return view(torch, a, sizes);
    }
    Tensor copy = Elementwise.contiguous(torch, a);
    Tensor out = view(torch, copy, sizes);
    copy.release();
    return out;
  }

  private static Tensor reshapeOnly(Torch torch, Tensor a, long[] sizes) {
    long[] strides = Shape.viewed(a.sizesShared(), a.stridesShared(), sizes);
    if (strides != null) {
      return view(a, sizes, strides);
    }
    Tensor copy = torch.empty(a.type(), a.sizesShared());
    Elementwise.charge(torch, copy, 0, 2);
    Tensor out = view(copy, sizes, Shape.contiguous(sizes));
    copy.release();
    return out;
  }

  /** {@code a.transpose(first, second)}. */
  public static Tensor transpose(Torch torch, Tensor a, int first, int second) {
    int i = first < 0 ? first + a.dimensions() : first;
    int j = second < 0 ? second + a.dimensions() : second;
    Node node = torch.node("TransposeBackward0", a);
    Tensor out = transposed(a, i, j);
    return Node.withBackward(node, out, (n, grads) -> new Tensor[] {transposed(grads[0], i, j)});
  }

  static Tensor transposed(Tensor a, int i, int j) {
    long[] sizes = a.sizes();
    long[] strides = a.stridesShared().clone();
    swap(sizes, i, j);
    swap(strides, i, j);
    return view(a, sizes, strides);
  }

  private static void swap(long[] values, int i, int j) {
    long value = values[i];
    values[i] = values[j];
    values[j] = value;
  }

  /** {@code a.permute(order)}. */
  public static Tensor permute(Torch torch, Tensor a, int... order) {
    Node node = torch.node("PermuteBackward0", a);
    Tensor out = permuted(a, order);
    if (node == null) {
      return out;
    }
    int[] back = new int[order.length];
    for (int i = 0; i < order.length; i++) {
      back[order[i]] = i;
    }
    node.setBackward((n, grads) -> new Tensor[] {permuted(grads[0], back)});
    return node.produced(out, 0);
  }

  private static Tensor permuted(Tensor a, int... order) {
    long[] sizes = new long[order.length];
    long[] strides = new long[order.length];
    for (int i = 0; i < order.length; i++) {
      sizes[i] = a.size(order[i]);
      strides[i] = a.stridesShared()[order[i]];
    }
    return view(a, sizes, strides);
  }

  /** {@code a.expand(sizes)}; its gradient is summed. */
  public static Tensor expand(Torch torch, Tensor a, long... wanted) {
    Node node = torch.node("ExpandBackward0", a);
    long[] sizes = wanted.clone();
    long[] strides = new long[sizes.length];
    for (int i = 1; i <= sizes.length; i++) {
      boolean exists = i <= a.dimensions();
      long size = exists ? a.size(-i) : 1;
      if (sizes[sizes.length - i] == -1) {
        sizes[sizes.length - i] = size;
      }
      strides[sizes.length - i] = exists && size != 1 ? a.stridesShared()[a.dimensions() - i] : 0;
    }
    Tensor out = view(a, sizes, strides);
    long[] before = a.sizesShared();
    return Node.withBackward(
        node, out, (n, grads) -> new Tensor[] {Reductions.sumTo(torch, grads[0], before)});
  }

  /** {@code a.split(size, dimension)}, all parts from one operation. */
  public static Tensor[] split(Torch torch, Tensor a, long size, int dimension) {
    int d = dimension < 0 ? dimension + a.dimensions() : dimension;
    int parts = (int) ((a.size(d) + size - 1) / size);
    Node node = torch.node("SplitBackward0", a);
    Tensor[] out = new Tensor[parts];
    for (int i = 0; i < parts; i++) {
      long[] sizes = a.sizes();
      sizes[d] = Math.min(size, a.size(d) - i * size);
      out[i] = view(a, sizes, a.stridesShared());
      if (node != null) {
        node.produced(out[i], i);
      }
    }
    if (node != null) {
      node.setBackward((n, grads) -> new Tensor[] {Joining.joined(torch, d, grads)});
    }
    return out;
  }

  /** A part of a dimension ({@code a[..., from:to]}); its gradient is laid into zeros. */
  public static Tensor slice(Torch torch, Tensor a, int dimension, long length) {
    int d = dimension < 0 ? dimension + a.dimensions() : dimension;
    Node node = torch.node("SliceBackward0", a);
    long[] sizes = a.sizes();
    sizes[d] = length;
    Tensor out = view(a, sizes, a.stridesShared());
    return Node.withBackward(node, out, (n, grads) -> new Tensor[] {intoZeros(torch, n, grads[0])});
  }

  /** Some elements of a tensor that is laid out row by row, without a gradient. */
  public static Tensor part(Tensor flat, long... sizes) {
    return view(flat, sizes, Shape.contiguous(sizes));
  }

  /**
   * {@code torch.split(flat, counts)} and {@code view}: all parts from one operation, whose
   * gradient joins theirs.
   */
  public static Tensor[] parts(Torch torch, Tensor flat, List<long[]> sizes) {
    Node node = torch.node("SplitWithSizesBackward0", flat);
    Tensor[] out = new Tensor[sizes.size()];
    for (int i = 0; i < out.length; i++) {
      out[i] = part(flat, Shape.count(sizes.get(i)));
      if (node != null) {
        node.produced(out[i], i);
      }
      Tensor shaped = view(torch, out[i], sizes.get(i));
      out[i].release();
      out[i] = shaped;
    }
    if (node != null) {
      long[] whole = flat.sizes();
      node.setBackward((n, grads) -> {
        Tensor joined = torch.empty(flat.type(), whole);
        Elementwise.charge(torch, joined, 0, 2);
        return new Tensor[] {joined};
      });
    }
    return out;
  }

  /** One entry of a dimension, which goes ({@code a[:, 0]}). */
  public static Tensor select(Torch torch, Tensor a, int dimension) {
    Node node = torch.node("SelectBackward0", a);
    Tensor out = selected(a, dimension);
    return Node.withBackward(node, out, (n, grads) -> new Tensor[] {intoZeros(torch, n, grads[0])});
  }

  static Tensor selected(Tensor a, int dimension) {
    long[] sizes = new long[a.dimensions() - 1];
    long[] strides = new long[sizes.length];
    for (int i = 0; i < sizes.length; i++) {
      int from = i < dimension ? i : i + 1;
      sizes[i] = a.size(from);
      strides[i] = a.stridesShared()[from];
    }
    return view(a, sizes, strides);
  }

  private static Tensor intoZeros(Torch torch, Node node, Tensor gradient) {
    Tensor zeros = torch.empty(gradient.type(), node.edges()[0].sizes());
    Elementwise.charge(torch, zeros, 0, 1);
    Elementwise.charge(torch, gradient, 0, 2);
    return zeros;
  }
}
