package org.allocsim.reports.fuzz;

import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.serving.CacheChoice;
import org.allocsim.analysis.serving.CacheKind;
import org.allocsim.analysis.serving.ServingComparison;
import org.allocsim.analysis.serving.ServingSettings;
import org.allocsim.analysis.serving.SglangSettings;
import org.allocsim.analysis.serving.VllmRelease;
import org.allocsim.analysis.serving.traffic.Traffic;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.growth.Steps;
import org.allocsim.workloads.model.LayerGroup;
import org.allocsim.workloads.model.ServedModel;

/** Requests of any number or length that each stress one thing of a KV cache. */
public enum GrowingTraffic {
  /** Memory for all requests: prefixes of those that ended fill it. */
  AMPLE_MEMORY,
  /** Memory for a few of the sequences that may run: they preempt each other. */
  SHORT_MEMORY,
  /** A few long answers, half of which have room together: they preempt each other. */
  LONG_ANSWERS,
  /** The same where some layers look back at a window. */
  LONG_ANSWERS_WITH_WINDOW;

  private static final int BLOCK_TOKENS = 16;
  private static final int LONG_ANSWERS_COUNT = 6;
  private static final int SEQUENCES = 64;
  private static final int STEP_TOKENS = 256;

  /** Four blocks of the wider layer fill a page of kvcached. */
  private static final long WIDE_BYTES = 1 << 16;

  private static final long NARROW_BYTES = 1 << 15;
  private static final long TOKEN_BYTES = WIDE_BYTES + NARROW_BYTES;
  private static final long UNIT_BYTES = 8 << 20;

  /**
   * Serves the requests and counts the steps; the classes are those of a loader that counts.
   *
   * @param traffic name of one of these
   * @param cache name of a {@link CacheKind}
   * @param maxSteps where to stop with {@link Steps.Exceeded}
   */
  public static long steps(String traffic, String cache, int rows, long maxSteps) {
    GrowingTraffic growing = valueOf(traffic);
    Traffic requests = growing.requests(rows);
    ServingSettings settings =
        new ServingSettings(
            SEQUENCES,
            STEP_TOKENS,
            1 << 20,
            BLOCK_TOKENS,
            0,
            2L << 20,
            Optional.empty(),
            SglangSettings.USUAL);
    Steps.start(maxSteps);
    ServingComparison.record(
        requests,
        growing.model(),
        DeviceProfiles.defaultProfile(),
        settings,
        CacheChoice.of(CacheKind.valueOf(cache), VllmRelease.newest()),
        growing.cacheBytes(rows));
    return Steps.stop();
  }

  private ServedModel model() {
    int window = this == LONG_ANSWERS_WITH_WINDOW ? 64 : 0;
    List<LayerGroup> groups =
        List.of(new LayerGroup(1, WIDE_BYTES, 0), new LayerGroup(1, NARROW_BYTES, window));
    return new ServedModel("growing", 64, 64, 64, 64, 1 << 20, 0, 1 << 19, 1 << 20, groups);
  }

  private long cacheBytes(int rows) {
    return switch (this) {
      case AMPLE_MEMORY -> Math.max(20, rows) * UNIT_BYTES;
      case SHORT_MEMORY -> 20 * UNIT_BYTES;
      case LONG_ANSWERS, LONG_ANSWERS_WITH_WINDOW ->
          20 * UNIT_BYTES + (long) rows * LONG_ANSWERS_COUNT * TOKEN_BYTES / 2;
    };
  }

  private Traffic requests(int rows) {
    Traffic.Builder traffic = new Traffic.Builder("growing", BLOCK_TOKENS);
    boolean isLong = this == LONG_ANSWERS || this == LONG_ANSWERS_WITH_WINDOW;
    int count = isLong ? LONG_ANSWERS_COUNT : rows;
    for (int request = 0; request < count; request++) {
      traffic.add(request, 90 + request % 20, isLong ? 1_000 + 2 * rows : 20);
    }
    return traffic.build();
  }
}
