package org.allocsim.workloads.program.torch;

import java.util.Objects;
import org.allocsim.workloads.program.torch.kernel.ReductionPlan;

/**
 * {@code F.scaled_dot_product_attention} of queries, keys and values laid out as batch, heads,
 * tokens, features: the memory-efficient kernels serve single precision, cuDNN's serve half
 * precision (PyTorch's order of preference on Hopper).
 */
public final class Attention {
  /** Tokens to which the memory-efficient kernels pad the logarithms of their sums. */
  private static final long SUM_ALIGNMENT = 32;

  /** Queries and keys of a block in the memory-efficient backward kernels (64x64, sm80). */
  private static final long BACKWARD_BLOCK = 64;

  /** Words of a lock that come with each block of partial query gradients. */
  private static final long LOCK_WORDS = 4;

  /** What cuDNN's fused kernels ask beside their arrays. */
  private static final long CUDNN_WORKSPACE_BYTES = 256;

  /** Keys that cuDNN lets one block serve for a single query. */
  private static final long MAX_KEYS_UNDIVIDED = 512;

  /** Parts into which it divides more keys. */
  private static final long KEY_PARTS = 4;

  private Attention() {}

  /** Attention without a mask, or with the causal one. */
  public static Tensor attend(Torch torch, Tensor query, Tensor key, Tensor value) {
    Tensor v = torch.autocast().half(value);
    Tensor k = torch.autocast().half(key);
    Tensor q = torch.autocast().half(query);
    try {
      return q.type().isHalf() ? cudnn(torch, q, k, v) : efficient(torch, q, k, v);
    } finally {
      q.release();
      k.release();
      v.release();
    }
  }

  /** Attention with a mask of truth values, which becomes one of numbers to add. */
  public static Tensor attendMasked(
      Torch torch, Tensor query, Tensor key, Tensor value, Tensor mask) {
    Tensor hidden = Elementwise.filled(torch, query.type());
    Tensor seen = Elementwise.filled(torch, query.type());
    Tensor numbers = Elementwise.copyAs(torch, mask, query.type());
    seen.release();
    hidden.release();
    try {
      return attend(torch, query, key, value);
    } finally {
      numbers.release();
    }
  }

  private static void charge(Torch torch, Tensor q, Tensor k, Tensor out, int products) {
    long scores = q.size(0) * q.size(1) * q.size(2) * k.size(2);
    torch
        .device()
        .kernel(
            2L * products * scores * q.size(3),
            products * (q.bytes() + k.bytes() + out.bytes()),
            q.type().precision());
  }

  private record Kept(Saved query, Saved key, Saved value, Saved out, Saved sums) {}

  private static Tensor efficient(Torch torch, Tensor q, Tensor k, Tensor v) {
    Node node = torch.node("ScaledDotProductEfficientAttentionBackward0", q, k, v);
    Saved query = torch.save(node, q);
    Saved key = torch.save(node, k);
    Saved value = torch.save(node, v);
    try (Frame frame = new Frame()) {
      Tensor rows = frame.own(torch.empty(q.type(), q.size(0), q.size(2), q.size(1), v.size(3)));
      Tensor sums = null;
      if (node != null) {
        long padded = (q.size(2) + SUM_ALIGNMENT - 1) / SUM_ALIGNMENT * SUM_ALIGNMENT;
        sums = frame.own(torch.empty(DType.FLOAT32, q.size(0), q.size(1), padded));
      }
      Tensor out = frame.own(Views.transposed(rows, 1, 2));
      charge(torch, q, k, out, 2);
      if (node != null) {
        node.produced(out, 0);
        // Saved results are given back in the order of their names.
        Saved savedSums = torch.save(node, Objects.requireNonNull(sums));
        Saved savedOut = torch.save(node, out);
        Kept kept = new Kept(query, key, value, savedOut, savedSums);
        node.setBackward((n, grads) -> efficientGradients(torch, grads[0], kept));
      }
      return frame.leave(out);
    }
  }

  private static Tensor[] efficientGradients(Torch torch, Tensor gradient, Kept kept) {
    Tensor turnedGradient = Views.transposed(gradient, 1, 2);
    Tensor gradientRows = torch.contiguous(turnedGradient);
    turnedGradient.release();
    Tensor q = kept.query().get();
    Tensor k = kept.key().get();
    Tensor v = kept.value().get();
    Tensor out = kept.out().get();
    Tensor forQuery = rowsLike(torch, q);
    Tensor forKey = rowsLike(torch, k);
    Tensor forValue = rowsLike(torch, v);
    Tensor product = torch.empty(DType.FLOAT32, out.size(0), out.size(2), out.size(1), out.size(3));
    Elementwise.charge(torch, product, 1, 3);
    Tensor sum = Reductions.sumColumns(torch, product, false);
    Tensor turned = Views.transposed(sum, 1, 2);
    Tensor delta = torch.contiguous(turned);
    turned.release();
    sum.release();
    product.release();
    long features = Math.max(q.size(3), v.size(3)) <= 32 ? 32 : 64 * ((q.size(3) + 63) / 64);
    long blocks = (q.size(2) + BACKWARD_BLOCK - 1) / BACKWARD_BLOCK;
    long words = blocks * (BACKWARD_BLOCK * features + LOCK_WORDS);
    Tensor workspace = torch.buffer(4 * words * q.size(0) * q.size(1));
    charge(torch, q, k, out, 5);
    delta.release();
    workspace.release();
    gradientRows.release();
    Tensor[] results = {
      Views.transposed(forQuery, 1, 2),
      Views.transposed(forKey, 1, 2),
      Views.transposed(forValue, 1, 2)
    };
    forQuery.release();
    forKey.release();
    forValue.release();
    return results;
  }

  private static Tensor rowsLike(Torch torch, Tensor a) {
    return torch.empty(a.type(), a.size(0), a.size(2), a.size(1), a.size(3));
  }

  private static Tensor cudnn(Torch torch, Tensor q, Tensor k, Tensor v) {
    Node node = torch.node("ScaledDotProductCudnnAttentionBackward0", q, k, v);
    Saved query = torch.save(node, q);
    Saved key = torch.save(node, k);
    Saved value = torch.save(node, v);
    try (Frame frame = new Frame()) {
      Tensor seed = frame.own(torch.empty(DType.INT64));
      Tensor offset = frame.own(torch.empty(DType.INT64));
      Tensor out = frame.own(torch.emptyLike(q, q.type()));
      Tensor sums = null;
      if (node != null) {
        sums = frame.own(torch.empty(DType.FLOAT32, q.size(0), q.size(1), q.size(2), 1));
      }
      torch.scratch(forwardWorkspaceBytes(q, k));
      charge(torch, q, k, out, 2);
      if (node != null) {
        node.produced(out, 0);
        Kept kept =
            new Kept(
                query,
                key,
                value,
                torch.save(node, out),
                torch.save(node, Objects.requireNonNull(sums)));
        torch.save(node, seed);
        torch.save(node, offset);
        node.setBackward((n, grads) -> cudnnGradients(torch, kept));
      }
      return frame.leave(out);
    }
  }

  /**
   * What cuDNN's forward kernels ask. A single query with many keys is divided among blocks that
   * each serve a part of the keys, where there are fewer heads than half the multiprocessors; that
   * is how 64 heads with 642 to 680 keys were seen to be served, and neither 80 heads with as many
   * keys nor fewer heads with up to 429 keys.
   */
  private static long forwardWorkspaceBytes(Tensor q, Tensor k) {
    if (q.size(2) > 1) {
      return CUDNN_WORKSPACE_BYTES;
    }
    long heads = q.size(0) * q.size(1);
    if (2 * heads > ReductionPlan.MULTIPROCESSORS || k.size(2) <= MAX_KEYS_UNDIVIDED) {
      return 0;
    }
    return KEY_PARTS * heads * (q.size(3) + 2) * DType.FLOAT32.bytes() + CUDNN_WORKSPACE_BYTES / 2;
  }

  private static Tensor[] cudnnGradients(Torch torch, Kept kept) {
    Tensor q = kept.query().get();
    Tensor k = kept.key().get();
    Tensor v = kept.value().get();
    Tensor[] results = {
      torch.emptyLike(q, q.type()), torch.emptyLike(k, k.type()), torch.emptyLike(v, v.type())
    };
    long rows = q.size(0) * q.size(1) * q.size(2);
    torch.scratch(4 * rows * q.size(3) + 4 * rows + CUDNN_WORKSPACE_BYTES);
    charge(torch, q, k, q, 5);
    return results;
  }
}
