package org.allocsim.analysis.serving;

import org.allocsim.analysis.serving.kvcache.radix.EvictionPolicy;
import org.jspecify.annotations.Nullable;

/**
 * What SGLang's engine is told beside what it has in common with vLLM's.
 *
 * @param pageTokens tokens of a page ({@code --page-size})
 * @param eviction which prefixes it forgets first ({@code --radix-eviction-policy})
 * @param conservativeness factor of the answers that it expects ({@code
 *     --schedule-conservativeness})
 * @param staticShare share of the free memory for weights and pool ({@code --mem-fraction-static});
 *     null for a pool as large as that of other caches
 */
public record SglangSettings(
    int pageTokens,
    EvictionPolicy eviction,
    double conservativeness,
    @Nullable Double staticShare) {
  /** Its defaults. */
  public static final SglangSettings USUAL = new SglangSettings(1, EvictionPolicy.LRU, 1, null);

  /**
   * Memory of its pool: what is free when the engine starts, times its share, less the weights.
   *
   * <p><b>Source.</b> sgl-project/sglang, {@code mem_cache/kv_cache_configurator.py} (August 2026).
   */
  public long poolBytes(ServingBudget budget) {
    return staticShare == null
        ? budget.cacheBytes()
        : (long) (budget.freeAtStartBytes() * staticShare) - budget.weightBytes();
  }
}
