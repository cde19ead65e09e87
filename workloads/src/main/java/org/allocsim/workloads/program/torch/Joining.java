package org.allocsim.workloads.program.torch;

/** {@code torch.cat} and {@code torch.stack}. */
public final class Joining {
  private Joining() {}

  /** {@code torch.cat(parts, dimension)}. */
  public static Tensor cat(Torch torch, int dimension, Tensor... parts) {
    int d = dimension < 0 ? dimension + parts[0].dimensions() : dimension;
    Node node = torch.node("CatBackward0", parts);
    Tensor out = joined(torch, d, parts);
    if (node == null) {
      return out;
    }
    long[] lengths = new long[parts.length];
    for (int i = 0; i < parts.length; i++) {
      lengths[i] = parts[i].size(d);
    }
    node.setBackward((n, grads) -> narrowed(n, grads[0], d, lengths));
    return node.produced(out, 0);
  }

  private static Tensor[] narrowed(Node node, Tensor gradient, int dimension, long[] lengths) {
    Tensor[] results = new Tensor[lengths.length];
    for (int i = 0; i < lengths.length; i++) {
      if (node.needs(i)) {
        long[] sizes = gradient.sizes();
        sizes[dimension] = lengths[i];
        results[i] =
            new Tensor(
                sizes,
                gradient.stridesShared(),
                gradient.type(),
                gradient.storage(),
                gradient.root());
      }
    }
    return results;
  }

  /** {@code torch.stack(parts)}, as one part after the other in a new first dimension. */
  public static Tensor stack(Torch torch, Tensor... parts) {
    long[] sizes = new long[parts[0].dimensions() + 1];
    sizes[0] = parts.length;
    System.arraycopy(parts[0].sizesShared(), 0, sizes, 1, sizes.length - 1);
    Node node = torch.node("StackBackward0", parts);
    Tensor out = torch.empty(parts[0].type(), sizes);
    Elementwise.charge(torch, out, 0, 2);
    return Node.withBackward(
        node,
        out,
        (n, grads) -> {
          Tensor[] results = new Tensor[parts.length];
          for (int i = 0; i < results.length; i++) {
            results[i] = n.needs(i) ? Views.selected(grads[0], 0) : null;
          }
          return results;
        });
  }

  static Tensor joined(Torch torch, int dimension, Tensor... parts) {
    Tensor first = parts[0];
    long[] sizes = first.sizes();
    sizes[dimension] = 0;
    for (Tensor part : parts) {
      sizes[dimension] += part.size(dimension);
    }
    Tensor out = torch.empty(first.type(), sizes);
    Elementwise.charge(torch, out, 0, 2);
    return out;
  }
}
