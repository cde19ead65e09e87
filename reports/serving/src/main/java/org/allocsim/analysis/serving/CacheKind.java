package org.allocsim.analysis.serving;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.serving.kvcache.DriverWork;
import org.allocsim.analysis.serving.kvcache.ElasticCache;
import org.allocsim.analysis.serving.kvcache.JengaCache;
import org.allocsim.analysis.serving.kvcache.KvCache;
import org.allocsim.analysis.serving.kvcache.PagedCache;
import org.allocsim.analysis.serving.kvcache.VirtualCache;
import org.allocsim.analysis.serving.kvcache.radix.RadixCache;
import org.allocsim.workloads.model.LayerGroup;

/** The caches that can be put to the test. */
public enum CacheKind {
  /** vLLM's blocks. */
  PAGED((groups, bytes, settings, release, _) -> {
    boolean isHead = settings.hasHead();
    return new PagedCache(
        release.pagedLayers(groups, isHead),
        bytes,
        settings.blockTokens(),
        settings.watermark(),
        release.pagedRules(),
        release.tokensInFlight(settings),
        isHead);
  }),
  /** Jenga's two levels of pages. */
  JENGA((groups, bytes, settings, _, _) -> new JengaCache(groups, bytes, settings.blockTokens())),
  /** vAttention's virtual memory. */
  VATTENTION((groups, bytes, settings, _, driver) ->
      new VirtualCache(groups, bytes, settings.pageBytes(), settings.mostSequences(), driver)),
  /** kvcached's elastic pages. */
  KVCACHED((groups, bytes, settings, release, driver) ->
      new ElasticCache(
          groups, bytes, settings.blockTokens(), driver, release.pagedRules().fitsWhole())),
  /** SGLang's pages and radix tree, which its own engine serves with. */
  SGLANG((groups, bytes, settings, _, _) ->
      new RadixCache(groups, bytes, settings.sglang().pageTokens(), settings.sglang().eviction()));

  /** Makes a cache in which nothing is stored. */
  @FunctionalInterface
  private interface Maker {
    KvCache make(
        List<LayerGroup> groups,
        long bytes,
        ServingSettings settings,
        VllmRelease release,
        DriverWork driver);
  }

  private final Maker maker;

  CacheKind(Maker maker) {
    this.maker = maker;
  }

  /** Only vLLM's own cache is simulated with layers that keep a state. */
  static void refuseStates(List<LayerGroup> groups) {
    if (groups.stream().anyMatch(LayerGroup::keepsState)) {
      throw new IllegalArgumentException(
          "only cache paged is simulated with layers that keep a state");
    }
  }

  /** Names of all. */
  public static List<String> names() {
    return Arrays.stream(values()).map(CacheKind::label).toList();
  }

  /** Its name. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * A cache in which nothing is stored.
   *
   * @param groups layers that store keys and values
   * @param release of vLLM, by whose rules its own cache goes
   * @param driver counts its calls of the driver
   * @throws IllegalArgumentException where so few bytes make none, or layers keep a state, which
   *     only vLLM's own cache is simulated with; with the reason
   */
  KvCache create(
      List<LayerGroup> groups,
      long bytes,
      ServingSettings settings,
      VllmRelease release,
      DriverWork driver) {
    if (this != PAGED) {
      refuseStates(groups);
    }
    return maker.make(groups, bytes, settings, release, driver);
  }
}
