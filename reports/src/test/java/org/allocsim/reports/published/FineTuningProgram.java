package org.allocsim.reports.published;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;

/**
 * Fine-tuning of a language model in half precision on several GPUs that each hold a part of every
 * weight (ZeRO stage 3): what one of them asks of its allocator. Each layer's weights are gathered
 * before its use, those of the next layer before this one's are let go. Where batches are padded to
 * their longest sample, sequence lengths differ from step to step; that and the gathering are what
 * makes sizes irregular. Attention keeps its scores, as models did before fused kernels.
 *
 * <p>A synthetic program: its sizes follow from the model's shape, the order of its requests from
 * how such frameworks work (DeepSpeed 0.10, PyTorch 2.0); it is no recording of one.
 *
 * @param model what is trained
 * @param gpus GPUs among which weights are divided
 * @param batch samples of a step on this GPU
 * @param shortestTokens shortest padded length, that of all steps where it is the longest too
 * @param longestTokens longest padded length
 * @param lora whether only low-rank adapters of rank 16 are trained
 * @param recompute whether activations are computed again in the backward pass
 * @param offload whether weights and optimizer live in host memory
 * @param steps training steps
 * @param seed of the sequence lengths
 */
public record FineTuningProgram(
    TransformerShape model,
    int gpus,
    int batch,
    int shortestTokens,
    int longestTokens,
    boolean lora,
    boolean recompute,
    boolean offload,
    int steps,
    long seed) {
  private static final int HALF = 2;
  private static final int SINGLE = 4;
  private static final int RANK = 16;

  /** Tokens to which padded lengths are rounded. */
  private static final int PADDING = 8;

  /** The requests of all steps, with STAlloc's markers of iterations. */
  public AllocationTrace trace() {
    return new Run(this).run();
  }

  private static final class Run {
    private final FineTuningProgram program;
    private final TransformerShape model;
    private final AllocationTrace.Builder trace = new AllocationTrace.Builder();
    private final SplittableRandom random;
    private final long[] layerWeights;
    private long calls;
    private long tokens;
    private long length;

    /** Activations of each layer that the backward pass needs. */
    private final List<List<Integer>> saved = new ArrayList<>();

    Run(FineTuningProgram program) {
      this.program = program;
      model = program.model;
      random = new SplittableRandom(program.seed);
      long hidden = model.hidden();
      layerWeights = new long[4 + model.innerMatrices()];
      for (int i = 0; i < 4; i++) {
        layerWeights[i] = hidden * hidden;
      }
      for (int i = 4; i < layerWeights.length; i++) {
        layerWeights[i] = hidden * model.inner();
      }
    }

    AllocationTrace run() {
      residents();
      for (int step = 0; step < program.steps; step++) {
        String marker = "Iteration Index : " + step;
        trace.markerBegin(marker);
        int drawn = random.nextInt(program.shortestTokens, program.longestTokens + 1);
        length = Math.min((drawn + PADDING - 1) / PADDING * PADDING, program.longestTokens);
        tokens = program.batch * length;
        forward();
        backward();
        update();
        trace.markerEnd(marker);
      }
      return trace.build(new StackTable.Builder().build());
    }

    private int take(long bytes) {
      trace.at(0, calls++ * 1_000, 0);
      return trace.allocate(bytes, 0, PoolId.DEFAULT);
    }

    private void drop(int allocation) {
      trace.at(0, calls++ * 1_000, 0);
      trace.free(allocation, 0);
    }

    private void drop(List<Integer> allocations) {
      allocations.forEach(this::drop);
      allocations.clear();
    }

    private long shard(long elements) {
      return (elements + program.gpus - 1) / program.gpus;
    }

    /** What stays from the start to the end. */
    private void residents() {
      for (int layer = 0; layer < model.layers(); layer++) {
        for (long weight : layerWeights) {
          if (!program.offload) {
            take(shard(weight) * HALF);
          }
          if (program.lora) {
            long adapter = 2L * RANK * model.hidden();
            take(adapter * HALF);
            take(adapter * 3 * SINGLE);
          } else if (!program.offload) {
            take(shard(weight) * HALF);
            take(shard(weight) * 3 * SINGLE);
          }
        }
      }
      take(shard((long) model.vocabulary() * model.hidden()) * HALF);
    }

    private List<Integer> gather() {
      List<Integer> weights = new ArrayList<>();
      for (long weight : layerWeights) {
        int part = program.offload ? take(shard(weight) * HALF) : -1;
        weights.add(take(weight * HALF));
        if (part >= 0) {
          drop(part);
        }
      }
      return weights;
    }

    private void forward() {
      saved.clear();
      List<Integer> weights = gather();
      for (int layer = 0; layer < model.layers(); layer++) {
        List<Integer> following = layer + 1 < model.layers() ? gather() : new ArrayList<>();
        List<Integer> kept = new ArrayList<>();
        kept.add(take(tokens * model.hidden() * HALF));
        List<Integer> activations = activations();
        if (program.recompute) {
          drop(activations);
        }
        kept.addAll(activations);
        saved.add(kept);
        drop(weights);
        weights = following;
      }
    }

    /** Computes a layer; answers what its backward pass needs beside its input. */
    private List<Integer> activations() {
      long wide = tokens * model.hidden() * HALF;
      long scores = (long) program.batch * model.heads() * length * length * HALF;
      List<Integer> kept = new ArrayList<>();
      kept.add(take(wide));
      for (int i = 0; i < 3; i++) {
        kept.add(projection(wide));
      }
      int raw = take(scores);
      kept.add(take(scores));
      drop(raw);
      kept.add(take(wide));
      int attention = projection(wide);
      kept.add(take(wide));
      drop(attention);
      for (int i = 1; i < model.innerMatrices(); i++) {
        kept.add(take(tokens * model.inner() * HALF));
      }
      kept.add(take(tokens * model.inner() * HALF));
      int result = take(wide);
      drop(result);
      return kept;
    }

    /** A product with a weight; adapters add one by their low rank. */
    private int projection(long bytes) {
      int result = take(bytes);
      if (program.lora) {
        int narrow = take(tokens * RANK * HALF);
        int added = take(bytes);
        drop(narrow);
        drop(added);
      }
      return result;
    }

    private void backward() {
      int logits = take(tokens * model.vocabulary() * HALF);
      int precise = take(tokens * model.vocabulary() * SINGLE);
      int slope = take(tokens * model.vocabulary() * SINGLE);
      drop(precise);
      int halfSlope = take(tokens * model.vocabulary() * HALF);
      drop(slope);
      drop(logits);
      int gradient = take(tokens * model.hidden() * HALF);
      drop(halfSlope);
      List<Integer> weights = gather();
      for (int layer = model.layers() - 1; layer >= 0; layer--) {
        List<Integer> following = layer > 0 ? gather() : new ArrayList<>();
        List<Integer> kept = saved.get(layer);
        if (program.recompute) {
          kept.addAll(activations());
        }
        gradient = backward(kept, gradient);
        drop(weights);
        weights = following;
      }
      drop(gradient);
    }

    private int backward(List<Integer> kept, int above) {
      int gradient = above;
      long wide = tokens * model.hidden() * HALF;
      int weight = layerWeights.length;
      for (int i = kept.size() - 1; i >= 0; i--) {
        boolean isScores = i == 5;
        long bytes =
            isScores
                ? (long) program.batch * model.heads() * length * length * HALF
                : i > 7 ? tokens * model.inner() * HALF : wide;
        int next = take(bytes);
        drop(gradient);
        drop(kept.get(i));
        gradient = next;
        if (!isScores && weight > 0 && !program.lora) {
          int weightGradient = take(layerWeights[--weight] * HALF);
          int part = take(shard(layerWeights[weight]) * HALF);
          drop(weightGradient);
          drop(part);
        }
      }
      kept.clear();
      return gradient;
    }

    private void update() {
      for (int layer = 0; layer < model.layers(); layer++) {
        for (long weight : layerWeights) {
          long elements = program.lora ? 2L * RANK * model.hidden() : shard(weight);
          int precise = take(elements * SINGLE);
          int change = take(elements * SINGLE);
          drop(precise);
          drop(change);
        }
      }
    }
  }
}
