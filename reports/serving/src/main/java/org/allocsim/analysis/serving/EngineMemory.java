package org.allocsim.analysis.serving;

import org.allocsim.analysis.Analysis;
import org.allocsim.analysis.AnalysisException;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.workloads.model.ServedModel;
import org.jspecify.annotations.Nullable;

/**
 * What is said of an engine's memory; null stands for what nobody says.
 *
 * @param release by whose rules
 * @param utilization share of the GPU that the engine may use; null for that of the release
 * @param weightBytes memory of the weights; null for those of the model
 * @param profileBytes peak of the profiling run above the weights; null for an estimate
 * @param graphBytes memory of CUDA graphs
 * @param otherBytes memory of other processes
 * @param start trace of an engine's start, which says weights, peak and graphs; null without one
 */
public record EngineMemory(
    VllmRelease release,
    @Nullable Double utilization,
    @Nullable Long weightBytes,
    @Nullable Long profileBytes,
    long graphBytes,
    long otherBytes,
    @Nullable String start) {
  /**
   * The budget of a model on a GPU.
   *
   * @throws AnalysisException where there is no memory for keys and values, or the start cannot be
   *     read
   */
  public ServingBudget budget(ServedModel model, ServingSettings settings, DeviceProfile device)
      throws AnalysisException {
    double share = utilization == null ? release.defaultUtilization() : utilization;
    ServingBudget budget =
        ServingBudget.of(
            device,
            share,
            weightBytes == null ? settings.weightBytes(model) : weightBytes,
            profileBytes == null
                ? ServingBudget.profileBytes(model, settings.stepTokens(), settings.mostSequences())
                : profileBytes,
            graphBytes,
            otherBytes,
            release);
    if (start != null) {
      budget = budget.of(EngineStart.of(Analysis.open(start).on(device)));
    }
    if (budget.largestCacheBytes() <= 0) {
      throw new AnalysisException(
          ("%s: weights, the profiling run, graphs, the context and other processes exceed"
                      + " the memory of %s at any --gpu-memory-utilization;")
                  .formatted(model.name(), device.name())
              + " use a larger GPU or more GPUs, or reduce the others");
    }
    if (budget.cacheBytes() <= 0) {
      throw new AnalysisException(
          "%s: %s of %s leaves no memory for the KV cache after %s (vLLM %s); use a larger"
                  .formatted(model.name(), share, device.name(), release.rule(), release.name())
              + " --gpu-memory-utilization, a larger GPU, or more GPUs");
    }
    return budget;
  }
}
