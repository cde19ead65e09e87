package org.allocsim.workloads.program.torch;

import org.allocsim.workloads.program.torch.kernel.Tiles;
import org.jspecify.annotations.Nullable;

/** Matrix products, computed by cuBLAS. */
public final class Products {
  private Products() {}

  private static void charge(Torch torch, Tensor a, Tensor b, Tensor out) {
    long rows = out.size(-2);
    long columns = out.size(-1);
    long batch = out.count() / Math.max(1, rows * columns);
    torch
        .device()
        .kernel(
            Tiles.operations(batch, rows, columns, a.size(-1)),
            a.bytes() + b.bytes() + out.bytes(),
            out.type().precision());
  }

  /** {@code a @ b} of two matrices, no gradient. The output is written as rows. */
  private static Tensor product(Torch torch, Tensor a, Tensor b) {
    Tensor out = torch.empty(a.type(), a.size(0), b.size(1));
    torch.needCublas();
    charge(torch, a, b, out);
    return out;
  }

  /** Gradient of a product's first factor, in the layout of that factor. */
  private static Tensor firstGradient(Torch torch, Tensor gradient, Tensor second, Tensor first) {
    Tensor turned = Views.transposed(second, 0, 1);
    try {
      return inLayoutOf(torch, gradient, turned, first);
    } finally {
      turned.release();
    }
  }

  private static Tensor secondGradient(Torch torch, Tensor gradient, Tensor first, Tensor second) {
    Tensor turned = Views.transposed(first, 0, 1);
    try {
      return inLayoutOf(torch, turned, gradient, second);
    } finally {
      turned.release();
    }
  }

  /** {@code a @ b}, computed transposed where the result is to be laid out by columns. */
  private static Tensor inLayoutOf(Torch torch, Tensor a, Tensor b, Tensor model) {
    boolean byColumns = model.stridesShared()[0] == 1 && model.stridesShared()[1] == model.size(0);
    if (!byColumns || model.isContiguous()) {
      return product(torch, a, b);
    }
    Tensor turnedB = Views.transposed(b, 0, 1);
    Tensor turnedA = Views.transposed(a, 0, 1);
    Tensor turnedOut = product(torch, turnedB, turnedA);
    Tensor out = Views.transposed(turnedOut, 0, 1);
    turnedOut.release();
    turnedA.release();
    turnedB.release();
    return out;
  }

  /** {@code torch.mm(a, b)} or, with a bias, {@code torch.addmm(bias, a, b)}; casts are done. */
  private static Tensor matrices(Torch torch, Tensor a, Tensor b, @Nullable Tensor bias) {
    boolean hasBias = bias != null;
    Node node =
        hasBias ? torch.node("AddmmBackward0", a, b, bias) : torch.node("MmBackward0", a, b);
    Saved first = torch.save(node, 1, a);
    Saved second = torch.save(node, 0, b);
    Tensor out = torch.empty(a.type(), a.size(0), b.size(1));
    if (hasBias) {
      torch.needCublasLt();
    } else {
      torch.needCublas();
    }
    charge(torch, a, b, out);
    return Node.withBackward(
        node,
        out,
        (n, grads) ->
            hasBias
                ? withBias(torch, n, grads[0], first, second, a, b)
                : withoutBias(torch, n, grads[0], first, second, a, b));
  }

  private static Tensor[] withBias(
      Torch torch, Node n, Tensor gradient, Saved first, Saved second, Tensor a, Tensor b) {
    Tensor[] results = new Tensor[3];
    if (n.needs(0)) {
      results[0] = firstGradient(torch, gradient, second.get(), a);
    }
    if (n.needs(1)) {
      results[1] = secondGradient(torch, gradient, first.get(), b);
      first.usedLast();
      second.usedLast();
    }
    if (n.needs(2)) {
      results[2] = Reductions.sumRows(torch, gradient);
    }
    return results;
  }

  private static Tensor[] withoutBias(
      Torch torch, Node n, Tensor gradient, Saved first, Saved second, Tensor a, Tensor b) {
    Tensor[] results = new Tensor[2];
    if (n.needs(1)) {
      results[1] = secondGradient(torch, gradient, first.get(), b);
    }
    if (n.needs(0)) {
      results[0] = firstGradient(torch, gradient, second.get(), a);
    }
    return results;
  }

  /** {@code torch.bmm(a, b)} without a gradient. */
  public static Tensor batched(Torch torch, Tensor a, Tensor b) {
    Tensor out = torch.empty(a.type(), a.size(0), a.size(1), b.size(2));
    torch.needCublas();
    charge(torch, a, b, out);
    return out;
  }

  /** {@code torch.addmm(bias, x.view(-1, in), weight).view(...)}: Conv1D of transformers. */
  public static Tensor conv1d(Torch torch, Tensor x, Tensor weight, Tensor bias) {
    Tensor rows = Views.view(torch, x, -1, x.size(-1));
    Tensor castWeight = torch.autocast().half(weight);
    Tensor castRows = torch.autocast().half(rows);
    Tensor castBias = torch.autocast().half(bias);
    try {
      Tensor flat = matrices(torch, castRows, castWeight, castBias);
      long[] sizes = x.sizes();
      sizes[sizes.length - 1] = weight.size(1);
      Tensor out = Views.view(torch, flat, sizes);
      flat.release();
      return out;
    } finally {
      castBias.release();
      castRows.release();
      castWeight.release();
      rows.release();
    }
  }

  /** A product of a tensor that is not laid out by rows: copied first, the bias added in place. */
  private static Tensor withAddedBias(Torch torch, Tensor x, Tensor turned, Tensor bias) {
    try (Frame frame = new Frame()) {
      Tensor rows = frame.own(Views.reshape(torch, x, -1, x.size(-1)));
      Tensor flat = frame.own(matrices(torch, rows, turned, null));
      long[] sizes = x.sizes();
      sizes[sizes.length - 1] = turned.size(1);
      Tensor out = frame.own(Views.view(torch, flat, sizes));
      return Elementwise.addInPlace(torch, out, bias);
    }
  }

  /** {@code F.linear(x, weight, bias)}; without a bias where that is null. */
  public static Tensor linear(Torch torch, Tensor x, Tensor weight, @Nullable Tensor bias) {
    Tensor castBias = bias == null ? null : torch.autocast().half(bias);
    Tensor castWeight = torch.autocast().half(weight);
    Tensor cast = torch.autocast().half(x);
    Tensor turned = Views.transpose(torch, castWeight, 0, 1);
    try {
      if (x.dimensions() == 2) {
        return matrices(torch, cast, turned, castBias);
      }
      if (castBias != null && !cast.isContiguous()) {
        return withAddedBias(torch, cast, turned, castBias);
      }
      Tensor rows = Views.reshape(torch, cast, -1, x.size(-1));
      Tensor flat = matrices(torch, rows, turned, castBias);
      rows.release();
      long[] sizes = x.sizes();
      sizes[sizes.length - 1] = weight.size(0);
      Tensor out = Views.view(torch, flat, sizes);
      flat.release();
      return out;
    } finally {
      turned.release();
      cast.release();
      castWeight.release();
      if (castBias != null) {
        castBias.release();
      }
    }
  }
}
