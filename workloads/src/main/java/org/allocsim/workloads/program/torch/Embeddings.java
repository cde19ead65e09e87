package org.allocsim.workloads.program.torch;

import org.allocsim.workloads.program.torch.kernel.Cub;

/** Look-up of rows by number. */
public final class Embeddings {
  /** Ids up to which they are not sorted (EmbeddingBackwardKernel's caller). */
  private static final long MAX_UNSORTED = 3072;

  /** Rows that one thread adds ({@code NROWS_PER_THREAD}). */
  private static final long ROWS_OF_A_PART = 10;

  private Embeddings() {}

  /** {@code F.embedding(ids, weight)}. */
  public static Tensor embedding(Torch torch, Tensor ids, Tensor weight) {
    Node node = torch.node("EmbeddingBackward0", weight);
    Saved kept = torch.save(node, ids);
    long[] sizes = new long[ids.dimensions() + 1];
    System.arraycopy(ids.sizesShared(), 0, sizes, 0, ids.dimensions());
    sizes[ids.dimensions()] = weight.size(1);
    Tensor out = torch.empty(weight.type(), sizes);
    Elementwise.charge(torch, out, 0, 2);
    long rows = weight.size(0);
    return Node.withBackward(
        node, out, (n, grads) -> new Tensor[] {gradient(torch, grads[0], kept.get(), rows)});
  }

  /** {@code embedding_dense_backward}: many ids are sorted first, few are added one by one. */
  private static Tensor gradient(Torch torch, Tensor gradient, Tensor ids, long rows) {
    Tensor values = torch.contiguous(gradient);
    long count = ids.count();
    Tensor out =
        count <= MAX_UNSORTED
            ? Elementwise.filled(torch, gradient.type(), rows, gradient.size(-1))
            : sorted(torch, values, count, rows);
    Elementwise.charge(torch, values, 1, 2);
    values.release();
    return out;
  }

  private static Tensor sorted(Torch torch, Tensor gradient, long count, long rows) {
    try (Frame frame = new Frame()) {
      frame.own(torch.empty(DType.INT64, count));
      frame.own(torch.empty(DType.INT64, count));
      Tensor range = frame.own(Elementwise.filled(torch, DType.INT64, count));
      torch.scratch(Cub.sortPairsBytes(count, DType.INT64.bytes(), DType.INT64.bytes()));
      frame.drop(range);
      Tensor out = Elementwise.filled(torch, gradient.type(), rows, gradient.size(-1));
      frame.own(torch.empty(DType.INT64, count));
      frame.own(torch.empty(DType.INT64));
      Tensor keys = torch.empty(DType.INT64, count);
      torch.scratch(Cub.scanBytes(count));
      keys.release();
      long segments = Math.min(count, rows);
      frame.own(torch.empty(DType.INT64, segments));
      frame.own(torch.empty(DType.INT64, segments));
      torch.scratch(Cub.scanBytes(segments));
      frame.own(torch.empty(DType.INT64));
      long parts = count / ROWS_OF_A_PART + segments;
      frame.own(torch.empty(DType.INT64, parts));
      frame.own(torch.empty(DType.FLOAT32, parts, gradient.size(-1)));
      return out;
    }
  }
}
