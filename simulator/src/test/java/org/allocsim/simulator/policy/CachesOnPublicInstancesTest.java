package org.allocsim.simulator.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.trace.AllocationTrace;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Peak of the bytes asked of the device, the same with each segment rounded up to 2 MiB, and the
 * number of calls, over published instances. The expected figures come from models of the rules
 * that were written apart from this project.
 */
class CachesOnPublicInstancesTest {
  private static final Map<String, Map<String, String>> OPTIONS =
      Map.of("paddle-8MiB", Map.of("chunk-size", "8MiB"));

  @ParameterizedTest
  @CsvSource({
    "cub, A, 1024, 1077936128, 1088421888, 152/150",
    "cub, D, 1024, 1017118720, 1052770304, 212/210",
    "cub, E, 1024, 1077936128, 1084227584, 213/211",
    "cub, K, 1024, 1077936128, 1094713344, 451/449",
    "cub, resnet50, 1, 1595020288, 2074083328, 595/488",
    "cub, G_1, 1, 3092048931, 3334471680, 351/286",
    "cupy, A, 1024, 2543845376, 2554331136, 27/0",
    "cupy, D, 1024, 1647312896, 1681915904, 63/0",
    "cupy, E, 1024, 3229614080, 3240099840, 25/0",
    "cupy, K, 1024, 2816475136, 2820669440, 9/0",
    "cupy, resnet50, 1, 1651952640, 1897922560, 173/0",
    "cupy, G_1, 1, 3071115264, 3380609024, 174/0",
    "mxnet-naive, A, 1024, 8509194240, 8512339968, 96/0",
    "mxnet-naive, D, 1024, 3569352704, 3577741312, 130/0",
    "mxnet-naive, E, 1024, 12933136384, 12935233536, 109/0",
    "mxnet-naive, K, 1024, 29265756160, 29267853312, 164/0",
    "mxnet-naive, resnet50, 1, 1890295808, 2501902336, 461/0",
    "mxnet-naive, G_1, 1, 5452394496, 5851054080, 289/0",
    "mxnet-round, A, 1024, 6237978624, 6241124352, 70/0",
    "mxnet-round, D, 1024, 2810183680, 2818572288, 106/0",
    "mxnet-round, E, 1024, 7885291520, 7887388672, 60/0",
    "mxnet-round, K, 1024, 15523119104, 15525216256, 82/0",
    "mxnet-round, resnet50, 1, 2201452544, 2753560576, 433/0",
    "mxnet-round, G_1, 1, 5426139136, 5702156288, 216/0",
    "paddle-auto-growth, A, 1024, 2543845376, 2554331136, 27/0",
    "paddle-auto-growth, D, 1024, 1647312896, 1681915904, 63/0",
    "paddle-auto-growth, E, 1024, 3229614080, 3240099840, 25/0",
    "paddle-auto-growth, K, 1024, 2816475136, 2820669440, 9/0",
    "paddle-auto-growth, resnet50, 1, 1651951616, 1897922560, 173/0",
    "paddle-auto-growth, G_1, 1, 3071074816, 3380609024, 174/0",
    "paddle-8MiB, A, 1024, 2546991104, 2554331136, 24/0",
    "paddle-8MiB, D, 1024, 1849688064, 1868562432, 51/0",
    "paddle-8MiB, E, 1024, 3231711232, 3240099840, 23/0",
    "paddle-8MiB, K, 1024, 2820669440, 2824863744, 9/0",
    "paddle-8MiB, resnet50, 1, 1661534208, 1749024768, 94/0",
    "paddle-8MiB, G_1, 1, 3074430208, 3114270720, 35/0"
  })
  void segmentsAreThoseOfTheReferenceModel(
      String row,
      String instance,
      long sizeFactor,
      long peakBytes,
      long peakPageBytes,
      String calls)
      throws Exception {
    AllocationTrace trace = PublicInstance.trace(instance, sizeFactor);
    Segments segments = new Segments();
    AllocatorPolicy policy =
        Policies.named(row.equals("paddle-8MiB") ? "paddle-auto-growth" : row)
            .orElseThrow()
            .create(
                new PolicySettings(-1, OPTIONS.getOrDefault(row, Map.of())),
                FutureRequests.NONE,
                new UpwardDevice(1 << 21, 1L << 50),
                segments);
    new Replay(trace, 0, policy, EffectListeners.NONE, () -> 0).run(event -> true);
    assertEquals(peakBytes, segments.peakBytes);
    assertEquals(peakPageBytes, segments.peakPageBytes);
    assertEquals(calls, segments.allocated + "/" + segments.freed);
  }

  private static final class Segments implements EffectListener {
    private static final long PAGE = 2 << 20;

    long bytes;
    long peakBytes;
    long pageBytes;
    long peakPageBytes;
    int allocated;
    int freed;

    @Override
    public void segmentAllocated(long address, long segmentBytes, int stream, boolean small) {
      bytes += segmentBytes;
      peakBytes = Math.max(peakBytes, bytes);
      pageBytes += (segmentBytes + PAGE - 1) / PAGE * PAGE;
      peakPageBytes = Math.max(peakPageBytes, pageBytes);
      allocated++;
    }

    @Override
    public void segmentFreed(long address, long segmentBytes, int stream, boolean small) {
      bytes -= segmentBytes;
      pageBytes -= (segmentBytes + PAGE - 1) / PAGE * PAGE;
      freed++;
    }
  }
}
