package org.allocsim.workloads.program.engine;

import java.util.Optional;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.workloads.model.Adapters;
import org.allocsim.workloads.model.Draft;
import org.allocsim.workloads.model.ModelShape;
import org.allocsim.workloads.program.torch.DType;

/**
 * How an engine is started. Names in parentheses are vLLM's.
 *
 * @param model the model
 * @param gpus GPUs that share each layer ({@code tensor_parallel_size}); one of them is simulated
 * @param type type of weights and activations
 * @param hasSmallWeights whether linear layers are turned to 8 bits after loading ({@code
 *     quantization=fp8})
 * @param hasSmallCache whether keys and values have 8 bits ({@code kv_cache_dtype=fp8})
 * @param schedule how much runs together
 * @param device the GPU
 * @param utilization share of it that the engine may use ({@code gpu_memory_utilization})
 * @param nonTorchBytes memory that the process takes beside PyTorch while it is profiled
 * @param isEager whether it runs without compilation and CUDA graphs ({@code enforce_eager})
 * @param course what it does once it runs
 * @param adapters low-rank adapters, if there may be any
 * @param draft what guesses tokens ahead, if anything does
 */
public record EngineSettings(
    ModelShape model,
    int gpus,
    DType type,
    boolean hasSmallWeights,
    boolean hasSmallCache,
    Schedule schedule,
    DeviceProfile device,
    double utilization,
    long nonTorchBytes,
    boolean isEager,
    Course course,
    Optional<Adapters> adapters,
    Optional<Draft> draft) {

  /**
   * How much runs together.
   *
   * @param maxSequences {@code max_num_seqs}
   * @param stepTokens {@code max_num_batched_tokens}
   * @param maxTokens {@code max_model_len}
   * @param blockTokens {@code block_size}
   */
  public record Schedule(int maxSequences, int stepTokens, int maxTokens, int blockTokens) {}

  /**
   * What an engine does once it runs.
   *
   * @param steps steps between two sleeps, and after the last
   * @param sleeps times that it falls asleep
   * @param sleepLevel 1: weights go to the host's memory; 2: they are dropped; 0: sleep mode is off
   * @param wakesInStages whether weights and cache wake one after the other
   * @param usesTopP whether requests sample with top-k or top-p, which sorts all logits
   */
  public record Course(
      int steps, int sleeps, int sleepLevel, boolean wakesInStages, boolean usesTopP) {}

  /** Tokens of a sequence in a step that only generates. */
  int tokensOfSequence() {
    return 1 + draft.map(Draft::tokens).orElse(0);
  }

  /** Sequences of the largest step. */
  int sequencesOfStep() {
    return Math.min(schedule.maxSequences(), schedule.stepTokens());
  }
}
