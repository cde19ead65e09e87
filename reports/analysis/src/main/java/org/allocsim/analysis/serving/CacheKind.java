package org.allocsim.analysis.serving;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.allocsim.simulator.kvcache.DriverWork;
import org.allocsim.simulator.kvcache.ElasticCache;
import org.allocsim.simulator.kvcache.JengaCache;
import org.allocsim.simulator.kvcache.KvCache;
import org.allocsim.simulator.kvcache.LayerGroup;
import org.allocsim.simulator.kvcache.PagedCache;
import org.allocsim.simulator.kvcache.VirtualCache;
import org.allocsim.simulator.typed.SimilarName;

/** The caches that can be put to the test. */
public enum CacheKind {
  /** vLLM's blocks. */
  PAGED {
    @Override
    KvCache create(
        List<LayerGroup> groups, long bytes, ServingSettings settings, DriverWork driver) {
      return new PagedCache(groups, bytes, settings.blockTokens(), settings.watermark());
    }
  },
  /** Jenga's two levels of pages. */
  JENGA {
    @Override
    KvCache create(
        List<LayerGroup> groups, long bytes, ServingSettings settings, DriverWork driver) {
      return new JengaCache(groups, bytes, settings.blockTokens());
    }
  },
  /** vAttention's virtual memory. */
  VATTENTION {
    @Override
    KvCache create(
        List<LayerGroup> groups, long bytes, ServingSettings settings, DriverWork driver) {
      return new VirtualCache(
          groups, bytes, settings.pageBytes(), settings.mostSequences(), driver);
    }
  },
  /** kvcached's elastic pages. */
  KVCACHED {
    @Override
    KvCache create(
        List<LayerGroup> groups, long bytes, ServingSettings settings, DriverWork driver) {
      return new ElasticCache(groups, bytes, settings.blockTokens(), driver);
    }
  };

  /** Names of all. */
  public static List<String> names() {
    return Arrays.stream(values()).map(CacheKind::label).toList();
  }

  /**
   * A cache by its name.
   *
   * @throws IllegalArgumentException where there is none, with the names that there are
   */
  public static CacheKind named(String name) {
    int index = names().indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException(
          "unknown cache '%s'; %s"
              .formatted(
                  name,
                  SimilarName.remedy(name, names(), "there are " + String.join(", ", names()))));
    }
    return values()[index];
  }

  /** Its name. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * A cache in which nothing is stored.
   *
   * @param groups layers that store keys and values
   * @param driver counts its calls of the driver
   * @throws IllegalArgumentException where so few bytes make none, with the reason
   */
  abstract KvCache create(
      List<LayerGroup> groups, long bytes, ServingSettings settings, DriverWork driver);
}
