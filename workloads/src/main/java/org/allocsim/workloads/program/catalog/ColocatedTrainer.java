package org.allocsim.workloads.program.catalog;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;

/**
 * The trainer of reinforcement learning that shares its GPU with an engine ({@link
 * ColocatedEngine}). Mixed precision with Adam: weights and gradients of 16 bits, 12 bytes for each
 * parameter of 32-bit weights and moments. While the engine generates, the optimizer's state or
 * everything is in the host's memory, as verl's {@code param_offload} and {@code optimizer_offload}
 * have it: with {@code offload=all} the weights leave once the engine has got them, so that both
 * copies are there for a moment.
 */
public final class ColocatedTrainer extends DescribedProgram {
  private static final int HALF = 2;
  private static final int SINGLE = 4;
  private static final int OPTIMIZER_TENSORS = 3;

  /** A program; the service loader makes it. */
  public ColocatedTrainer() {
    super(
        "colocated-trainer",
        "a reinforcement learning trainer that releases memory while an engine on the same GPU"
            + " generates",
        Colocation.options(
            new ProgramOption(
                "offload",
                "all",
                "what is moved off the GPU while the engine generates: none, optimizer or all"),
            new ProgramOption(
                "empty-cache",
                "true",
                "whether torch.cuda.empty_cache() is called" + " afterwards"),
            new ProgramOption(
                "micro-batches", "4", "forward and backward passes per training" + " phase"),
            new ProgramOption("activations", "128", "activations per layer in MiB"),
            new ProgramOption("logits", "2048", "logits in MiB, in 32 bits")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    return new Training(values).run();
  }

  /** A training that has not begun. */
  private static final class Training {
    private final Colocation both;
    private final boolean movesOptimizer;
    private final boolean movesWeights;
    private final boolean emptiesCache;
    private final int microBatches;
    private final long activationBytes;
    private final long logitBytes;
    private List<Integer> weights = new ArrayList<>();
    private final List<Integer> optimizer = new ArrayList<>();

    Training(ProgramValues values) {
      both = new Colocation(values);
      String offload = values.choice("offload", "none", "optimizer", "all");
      movesWeights = offload.equals("all");
      movesOptimizer = !offload.equals("none");
      emptiesCache = values.flag("empty-cache");
      microBatches = values.count("micro-batches");
      activationBytes = Colocation.mib(values, "activations");
      logitBytes = Colocation.mib(values, "logits");
    }

    AllocationTrace run() {
      weights = both.matrices(HALF, PoolId.DEFAULT);
      loadOptimizer();
      both.passStart();
      unload(movesWeights);
      // The engine starts in what is left.
      both.passSync();
      both.passStart();
      for (int iteration = 0; iteration < both.iterations(); iteration++) {
        generation();
        training(iteration);
      }
      return both.build();
    }

    /** The engine gets the weights from the GPU, then generates. */
    private void generation() {
      if (weights.isEmpty()) {
        weights = both.matrices(HALF, PoolId.DEFAULT);
      }
      both.passSync();
      unload(movesWeights);
      both.passSync();
      both.passGeneration();
      // The engine falls asleep.
      both.passSync();
    }

    private void training(int iteration) {
      String name = "train " + iteration;
      both.trace().markerBegin(name);
      if (weights.isEmpty()) {
        weights = both.matrices(HALF, PoolId.DEFAULT);
      }
      List<List<Integer>> gradients = new ArrayList<>();
      for (int batch = 0; batch < microBatches; batch++) {
        pass(gradients);
      }
      loadOptimizer();
      both.passTraining(microBatches + 1);
      gradients.forEach(both::free);
      // The optimizer's state goes at once, the weights once the engine has them.
      unload(false);
      both.trace().markerEnd(name);
    }

    /** Forward and backward; gradients appear in the first backward, the last layer first. */
    private void pass(List<List<Integer>> gradients) {
      List<Integer> activations = new ArrayList<>();
      for (int layer = 0; layer < both.layers(); layer++) {
        activations.add(both.allocate(activationBytes, PoolId.DEFAULT));
      }
      int logits = both.allocate(logitBytes, PoolId.DEFAULT);
      int logProbabilities = both.allocate(logitBytes, PoolId.DEFAULT);
      both.passTraining(microBatches + 1);
      both.trace().free(logProbabilities);
      both.trace().free(logits);
      boolean isFirst = gradients.isEmpty();
      for (int layer = both.layers() - 1; layer >= 0; layer--) {
        if (isFirst) {
          gradients.add(both.layerMatrices(HALF, PoolId.DEFAULT));
        }
        both.trace().free(activations.get(layer));
      }
    }

    private void loadOptimizer() {
      if (optimizer.isEmpty()) {
        for (int tensor = 0; tensor < OPTIMIZER_TENSORS; tensor++) {
          optimizer.addAll(both.matrices(SINGLE, PoolId.DEFAULT));
        }
      }
    }

    private void unload(boolean withWeights) {
      if (movesOptimizer) {
        both.free(optimizer);
      }
      if (withWeights) {
        both.free(weights);
      }
      if (emptiesCache && movesOptimizer) {
        both.trace().synchronize();
        both.trace().emptyCache();
      }
    }
  }
}
