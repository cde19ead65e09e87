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
  PAGED {
    @Override
    KvCache create(
        List<LayerGroup> groups,
        long bytes,
        ServingSettings settings,
        VllmRelease release,
        DriverWork driver) {
      boolean isHead = settings.speculation().map(Speculation::isHead).orElse(false);
      return new PagedCache(
          release.givesUpChunks() && !isHead
              ? groups
              : groups.stream().map(LayerGroup::withoutChunks).toList(),
          bytes,
          settings.blockTokens(),
          settings.watermark(),
          release.pagedRules(),
          release.stepsInFlight() * settings.stepTokens(),
          isHead);
    }
  },
  /** Jenga's two levels of pages. */
  JENGA {
    @Override
    KvCache create(
        List<LayerGroup> groups,
        long bytes,
        ServingSettings settings,
        VllmRelease release,
        DriverWork driver) {
      refuseStates(groups);
      return new JengaCache(groups, bytes, settings.blockTokens());
    }
  },
  /** vAttention's virtual memory. */
  VATTENTION {
    @Override
    KvCache create(
        List<LayerGroup> groups,
        long bytes,
        ServingSettings settings,
        VllmRelease release,
        DriverWork driver) {
      refuseStates(groups);
      return new VirtualCache(
          groups, bytes, settings.pageBytes(), settings.mostSequences(), driver);
    }
  },
  /** kvcached's elastic pages. */
  KVCACHED {
    @Override
    KvCache create(
        List<LayerGroup> groups,
        long bytes,
        ServingSettings settings,
        VllmRelease release,
        DriverWork driver) {
      refuseStates(groups);
      return new ElasticCache(
          groups, bytes, settings.blockTokens(), driver, release.pagedRules().fitsWhole());
    }
  },
  /** SGLang's pages and radix tree, which its own engine serves with. */
  SGLANG {
    @Override
    KvCache create(
        List<LayerGroup> groups,
        long bytes,
        ServingSettings settings,
        VllmRelease release,
        DriverWork driver) {
      return new RadixCache(
          groups, bytes, settings.sglang().pageTokens(), settings.sglang().eviction());
    }
  };

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
   * @throws IllegalArgumentException where so few bytes make none, with the reason
   */
  abstract KvCache create(
      List<LayerGroup> groups,
      long bytes,
      ServingSettings settings,
      VllmRelease release,
      DriverWork driver);
}
