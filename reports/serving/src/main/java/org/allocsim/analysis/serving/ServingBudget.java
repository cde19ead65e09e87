package org.allocsim.analysis.serving;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.workloads.model.ServedModel;

/**
 * What a GPU has for keys and values when an engine started as vLLM does: its share of the GPU less
 * the weights and the peak of a profiling run. The context of the process is not in that share, and
 * the CUDA graphs are captured later; both must fit beside it. From 0.21 on vLLM captures two
 * graphs of each kind while it profiles, and takes what all of them will need by that out of the
 * share. Releases before 0.9.1 also took the context and what other processes hold out of it; those
 * since then do not start where less is free than the share.
 *
 * <p><b>Source.</b> vllm-project/vllm, {@code v1/worker/gpu_worker.py} and {@code
 * utils/mem_utils.py}: the snapshot from which growth is measured is taken after the context was
 * made. {@code VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS} turns the new rule off, and on from 0.19.
 * {@link VllmRelease} has the releases.
 *
 * <p><b>Deviations.</b> The engine's own estimate of its graphs, which it measures as free memory,
 * is taken to be right. Unused parts of PyTorch's segments, which releases before 0.9.1 counted as
 * not PyTorch's, are left out.
 *
 * @param totalBytes memory of the GPU
 * @param contextBytes memory of the process's context
 * @param unusableBytes memory that the driver never gives
 * @param otherBytes memory of other processes
 * @param utilization share of the GPU that the engine may use ({@code gpu_memory_utilization})
 * @param weightBytes memory of the weights
 * @param profileBytes peak of the profiling run above the weights
 * @param nonTorchBytes what the process took beside PyTorch while it was profiled
 * @param outsideCacheBytes what its allocator reserves at most beside the cache
 * @param graphBytes memory of CUDA graphs that is not in that
 * @param release by whose rules
 */
public record ServingBudget(
    long totalBytes,
    long contextBytes,
    long unusableBytes,
    long otherBytes,
    double utilization,
    long weightBytes,
    long profileBytes,
    long nonTorchBytes,
    long outsideCacheBytes,
    long graphBytes,
    VllmRelease release) {
  private static final int HALF_BYTES = 2;
  private static final int FLOAT_BYTES = 4;

  /** Hidden states of a step that live together: input, residual, output, normalised. */
  private static final int HIDDEN_STATES = 4;

  /** Copies of the logits in 32 bits: logits, probabilities, sorted. */
  private static final int LOGIT_COPIES = 3;

  /** What CUDA graphs take where nobody says: an assumption, near what logs of 8B models show. */
  public static final long GRAPH_BYTES = 512L << 20;

  /** The budget by a release's rules. */
  public static ServingBudget of(
      DeviceProfile device,
      double utilization,
      long weightBytes,
      long profileBytes,
      long graphBytes,
      long otherBytes,
      VllmRelease release) {
    return new ServingBudget(
        device.totalBytes(),
        device.contextBytes(),
        device.unusableBytes(),
        otherBytes,
        utilization,
        weightBytes,
        profileBytes,
        0,
        weightBytes + profileBytes,
        graphBytes,
        release);
  }

  /** The same with what the start of an engine shows; its samples say more than an estimate. */
  public ServingBudget of(EngineStart start) {
    return new ServingBudget(
        totalBytes,
        contextBytes,
        unusableBytes,
        otherBytes,
        utilization,
        start.weightBytes(),
        start.profileBytes(),
        start.nonTorchBytes(),
        start.outsideCacheBytes(),
        start.laterBytes() < 0 ? graphBytes : start.laterBytes(),
        release);
  }

  /** The same at another share. */
  public ServingBudget at(double share) {
    return new ServingBudget(
        totalBytes,
        contextBytes,
        unusableBytes,
        otherBytes,
        share,
        weightBytes,
        profileBytes,
        nonTorchBytes,
        outsideCacheBytes,
        graphBytes,
        release);
  }

  /**
   * An estimate of the profiling run's peak: the larger of a feed-forward part over all tokens of a
   * step (its input and its two halves at once) and the logits of all sequences while they are
   * sampled.
   */
  public static long profileBytes(ServedModel model, int stepTokens, int sequences) {
    long states = (long) stepTokens * HALF_BYTES * HIDDEN_STATES * model.hidden();
    long inner = (long) stepTokens * HALF_BYTES * 3 * model.inner();
    long logits = (long) sequences * model.vocabulary() * (HALF_BYTES + LOGIT_COPIES * FLOAT_BYTES);
    return Math.max(states + inner, logits);
  }

  /** Memory that keys and values get; below 1 where there is none. */
  public long cacheBytes() {
    return cacheBytes(utilization);
  }

  private long cacheBytes(double share) {
    return shareBytes(share) - neededBytes();
  }

  private long shareBytes(double share) {
    return (long) (totalBytes * share);
  }

  /** Memory that the engine may use. */
  public long shareBytes() {
    return shareBytes(utilization);
  }

  /** What the share has to hold besides keys and values. */
  private long neededBytes() {
    return weightBytes
        + profileBytes
        + nonTorchBytes
        + (release.hasGraphsInShare() ? graphBytes : 0)
        + (release.countsWholeGpu() ? contextBytes + otherBytes : 0);
  }

  /** Memory that is free when the engine starts. */
  public long freeAtStartBytes() {
    return totalBytes - contextBytes - otherBytes;
  }

  /** Whether the engine refuses to start, since less is free than its share. */
  public boolean isRefused() {
    return release.refusesMoreThanFree() && freeAtStartBytes() < shareBytes();
  }

  /** Memory that is left when graphs are captured and the cache is full; negative: it fails. */
  public long leftBytes() {
    return roomBytes() - cacheBytes();
  }

  /** What there is for the cache when everything else is there. */
  private long roomBytes() {
    return freeAtStartBytes() - unusableBytes - graphBytes - nonTorchBytes - outsideCacheBytes;
  }

  /** The largest share with which the engine starts and captures its graphs. */
  public double largestUtilization() {
    long most = roomBytes() + neededBytes();
    if (release.refusesMoreThanFree()) {
      most = Math.min(most, freeAtStartBytes());
    }
    double share = (double) most / totalBytes;
    return Math.clamp(Math.floor(share * 1000) / 1000, 0, 1);
  }

  /** Memory that keys and values get at the largest share. */
  public long largestCacheBytes() {
    return cacheBytes(largestUtilization());
  }
}
