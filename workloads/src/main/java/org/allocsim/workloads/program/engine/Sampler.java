package org.allocsim.workloads.program.engine;

import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.kernel.Cub;

/**
 * How the next tokens are drawn. All of it is in 32 bits; with top-k or top-p all logits are
 * sorted, with their places as 64-bit numbers, and that is the peak of many engines.
 *
 * <p><b>Source.</b> vLLM 0.12, {@code v1/sample/sampler.py}, {@code
 * v1/sample/ops/topk_topp_sampler.py} (without FlashInfer); PyTorch 2.9, {@code SortStable.cu}:
 * from 128 rows on CUB sorts segments, fewer are sorted twice as a whole.
 */
final class Sampler {
  private static final String FILE = "vllm/v1/sample/sampler.py";
  private static final int FEWEST_SEGMENTS = 128;

  private final Torch torch;

  Sampler(Torch torch) {
    this.torch = torch;
  }

  /** Draws a token for each row of logits, which stay with the caller. */
  Tensor draw(Tensor logits, boolean isSorted) {
    torch.device().enter(FILE, "forward");
    Tensor full = Elementwise.to(torch, logits, DType.FLOAT32);
    Tensor greedy = Elementwise.filled(torch, DType.INT64, logits.size(0));
    Elementwise.charge(torch, full, 1, 2);
    Tensor left = isSorted ? cut(full) : full.retain();
    Tensor shares = Elementwise.unary(torch, left);
    Tensor noise = torch.emptyLike(shares, DType.FLOAT32);
    Elementwise.charge(torch, noise, 2, 3);
    Tensor drawn = Elementwise.filled(torch, DType.INT64, logits.size(0));
    Tensor.releaseAll(noise, shares, left, full);
    Tensor tokens = Elementwise.to(torch, drawn, DType.INT32);
    Tensor.releaseAll(drawn, greedy);
    torch.device().leave();
    return tokens;
  }

  /** Logits of the tokens that top-k and top-p leave. */
  private Tensor cut(Tensor logits) {
    Tensor sorted = torch.emptyLike(logits, DType.FLOAT32);
    Tensor places = torch.emptyLike(logits, DType.INT64);
    sort(logits.size(0), logits.count());
    Tensor aboveK = Elementwise.compare(torch, sorted);
    Tensor shares = Elementwise.unary(torch, sorted);
    Elementwise.charge(torch, shares, 1, 2);
    Tensor aboveP = Elementwise.compare(torch, shares);
    Tensor cut = Elementwise.unary(torch, sorted);
    Tensor.releaseAll(aboveK, aboveP, shares, places, sorted);
    return cut;
  }

  /** What a sort along rows takes beside its results. */
  private void sort(long rows, long count) {
    torch.device().enter("vllm/v1/sample/ops/topk_topp_sampler.py", "apply_top_k_top_p");
    Tensor numbers = Elementwise.filled(torch, DType.INT64, count);
    if (rows >= FEWEST_SEGMENTS || rows == 1) {
      scratch(Cub.segmentedSortPairsBytes(count, Float.BYTES, Long.BYTES), count);
    } else {
      Tensor sortedNumbers = Elementwise.filled(torch, DType.INT64, count);
      Tensor keys = torch.empty(DType.FLOAT32, count);
      scratch(Cub.sortPairsBytes(count, Float.BYTES, Long.BYTES), count);
      keys.release();
      scratch(Cub.sortPairsBytes(count, Long.BYTES, 0), count);
      sortedNumbers.release();
    }
    numbers.release();
    torch.device().leave();
  }

  private void scratch(long bytes, long count) {
    Tensor scratch = torch.empty(DType.UINT8, bytes);
    torch.device().kernel(count, 4 * (Float.BYTES + Long.BYTES) * count, DType.FLOAT32.precision());
    scratch.release();
  }

  /** What rejecting guesses takes: the model's shares of all tokens, in 32 bits. */
  void reject(Tensor logits) {
    torch.device().enter("vllm/v1/sample/rejection_sampler.py", "forward");
    Tensor full = Elementwise.to(torch, logits, DType.FLOAT32);
    Tensor shares = Elementwise.unary(torch, full);
    Tensor.releaseAll(shares, full);
    torch.device().leave();
  }
}
