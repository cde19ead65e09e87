package org.allocsim.analysis.serving;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.analysis.oom.engine.EngineAdvice;
import org.allocsim.analysis.serving.kvcache.PagedRules;
import org.allocsim.workloads.model.LayerGroup;
import org.allocsim.workloads.model.PageSharing;

/**
 * A release of vLLM, by whose rules a share of the GPU becomes a cache.
 *
 * <p><b>Source.</b> vllm-project/vllm. Pull request 9352 made the worker take from the share
 * whatever is used on the GPU and not by PyTorch (0.6.4); pull request 10511 ended that in the
 * first engine (0.6.5), while 10528 brought it to the second ({@code v1/worker/gpu_worker.py}),
 * which is the default from 0.8 on; pull request 18974 of 9 June 2025 ended it there too, and made
 * the engine refuse to start where less is free than its share: 0.9.1 is the first release that
 * does. The default of the share is 0.92 from 0.21 on, and CUDA graphs come out of it. {@link
 * PagedRules} has the sources of the cache's rules.
 *
 * <p><b>Deviations.</b> Releases run with the engine that is their default. Those before 0.6.4 took
 * what the process reserved, not what it allocated, from the share.
 *
 * @param name as it was given
 * @param major first number
 * @param minor second number
 * @param patch third number, 0 where none was given
 */
public record VllmRelease(String name, int major, int minor, int patch) {
  /** The newest whose rules are known to differ from those of earlier ones. */
  public static final String NEWEST = "0.29";

  private static final Pattern FORM =
      Pattern.compile(
          "v?([0-9]{1,4})[.]([0-9]{1,4})(?:[.]([0-9]{1,4})(?:[.][0-9]{1,4})?)?"
              + "(?:[.]?(?:rc|post|dev)[0-9]{0,6})?");

  /**
   * Reads the number of a release, such as {@code 0.9.0.1} or {@code v0.8}.
   *
   * @throws IllegalArgumentException where it is none
   */
  public static VllmRelease of(String text) {
    Matcher numbers = FORM.matcher(text);
    if (!numbers.matches()) {
      throw new IllegalArgumentException(text + " is not a vLLM release");
    }
    return new VllmRelease(
        text.startsWith("v") ? text.substring(1) : text,
        Integer.parseInt(numbers.group(1)),
        Integer.parseInt(numbers.group(2)),
        numbers.group(3) == null ? 0 : Integer.parseInt(numbers.group(3)));
  }

  /** The newest one. */
  public static VllmRelease newest() {
    return of(NEWEST);
  }

  private boolean isFrom(int otherMinor, int otherPatch) {
    return major > 0 || minor > otherMinor || minor == otherMinor && patch >= otherPatch;
  }

  /** The rules of its paged cache. */
  public PagedRules pagedRules() {
    PagedRules.Reuse reuse =
        isFrom(24, 0)
            ? PagedRules.Reuse.ALL
            : isFrom(23, 0) ? PagedRules.Reuse.WINDOWS : PagedRules.Reuse.NONE;
    PageSharing.Padding padding =
        isFrom(18, 0)
            ? PageSharing.Padding.HALF
            : isFrom(12, 0) ? PageSharing.Padding.QUARTER : PageSharing.Padding.NONE;
    return new PagedRules(
        padding,
        reuse,
        isFrom(19, 0),
        isFrom(21, 0),
        isFrom(24, 0),
        isFrom(26, 0),
        isFrom(27, 0),
        isFrom(29, 0));
  }

  /**
   * Whether layers that look back at chunks give up what is before theirs ({@code
   * VLLM_ALLOW_CHUNKED_LOCAL_ATTN_WITH_HYBRID_KV_CACHE}, on since pull request 29627 of 16 December
   * 2025; 0.13 by date). With a draft that is a head all layers keep all tokens.
   */
  private boolean givesUpChunks() {
    return isFrom(13, 0);
  }

  /**
   * The layers as its paged cache treats them.
   *
   * @param hasHead whether a draft is a head of the model
   */
  List<LayerGroup> pagedLayers(List<LayerGroup> layers, boolean hasHead) {
    return givesUpChunks() && !hasHead
        ? layers
        : layers.stream().map(LayerGroup::withoutChunks).toList();
  }

  /**
   * Steps whose tokens may have taken room when a sequence begins: since windows wait for the step
   * before, two.
   */
  private int stepsInFlight() {
    return isFrom(26, 0) ? 2 : 1;
  }

  /** Tokens that steps that are not over may have taken room for, at most. */
  int tokensInFlight(ServingSettings settings) {
    return stepsInFlight() * settings.stepTokens();
  }

  /** Whether the share holds all that is used on the GPU: other processes and the context too. */
  public boolean countsWholeGpu() {
    return isFrom(6, 4) && !isFrom(6, 5) || isFrom(8, 0) && !isFrom(9, 1);
  }

  /** Whether the engine refuses to start where less memory is free than its share. */
  public boolean refusesMoreThanFree() {
    return isFrom(9, 1);
  }

  /** Whether CUDA graphs come out of the share. */
  public boolean hasGraphsInShare() {
    return isFrom(21, 0);
  }

  /** The share of the GPU that the engine uses where nobody says. */
  public double defaultUtilization() {
    return isFrom(21, 0) ? EngineAdvice.LATER_VLLM_SHARE : EngineAdvice.VLLM_SHARE;
  }

  /** What the share has to hold besides the cache, in words. */
  public String rule() {
    return countsWholeGpu()
        ? "weights, the profiling run, the context and memory of other processes on the GPU"
        : hasGraphsInShare()
            ? "weights, the profiling run and CUDA graphs"
            : "weights and the profiling run";
  }
}
