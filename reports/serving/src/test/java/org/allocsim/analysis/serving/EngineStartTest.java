package org.allocsim.analysis.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Locale;
import org.allocsim.analysis.Analysis;
import org.allocsim.analysis.AnalysisException;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.run.RunResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a start shows is what the engine computed with, and what it can have. */
class EngineStartTest {
  private static final DeviceProfile H100 = DeviceProfiles.defaultProfile();

  /** A block of Llama 3.1 8B: 16 tokens, 8 heads of 128 features, keys and values, 32 layers. */
  private static final long BLOCK_BYTES = 16L * 8 * 128 * 2 * 2 * 32;

  private static String program(String more) {
    return "program:engine(max-model-len=8192;non-torch=0" + more + ")";
  }

  private static EngineStart start(String more) throws AnalysisException {
    return EngineStart.of(Analysis.open(program(more)).on(H100));
  }

  private static ServingBudget budget(EngineStart start, double share) {
    return ServingBudget.of(H100, share, 0, 0, 0, 0, VllmRelease.of("0.12")).of(start);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ";max-num-seqs=64",
        ";enforce-eager=true",
        ";max-loras=2",
        ";sleep=1;sleeps=0"
      })
  void theCacheIsTheOneThatTheEngineAllocates(String more) throws AnalysisException {
    EngineStart start = start(more);
    long cache = budget(start, 0.9).cacheBytes() / BLOCK_BYTES * BLOCK_BYTES;
    // Parts of segments that PyTorch does not split count in its statistics, not in the program.
    assertEquals(start.cacheBytes(), (double) cache, 48 << 20);
    assertTrue(start.cacheBytes() > 40L << 30);
  }

  @Test
  void besideTheCacheIsWhatThisStartReservesWhateverTheCache() throws AnalysisException {
    EngineStart small = start(";gpu-memory-utilization=0.5");
    EngineStart large = start(";gpu-memory-utilization=0.9");
    assertEquals(small.weightBytes(), large.weightBytes());
    assertEquals(small.profileBytes(), large.profileBytes());
    // The segments of the cache are rounded up to 2 MiB, 32 of them.
    assertEquals(small.outsideCacheBytes(), (double) large.outsideCacheBytes(), 64 << 20);
    assertTrue(large.outsideCacheBytes() > large.weightBytes());
  }

  /** At it the allocator never has to give anything back; a little above it has to, or fails. */
  @Test
  void theLargestShareIsTheLargest() throws AnalysisException {
    double largest = budget(start(""), 0.9).largestUtilization();
    assertTrue(largest > 0.9 && largest < 1, largest + "");
    assertTrue(isEasy(largest - 0.001), "below " + largest);
    assertFalse(isEasy(largest + 0.002), "above " + largest);
  }

  private static boolean isEasy(double share) throws AnalysisException {
    String text = String.format(Locale.ROOT, ";gpu-memory-utilization=%.3f", share);
    RunResult result = Analysis.open(program(text)).on(H100).run();
    return result.passes() && result.stat("num_alloc_retries") == 0;
  }

  @Test
  void whatStartsNoEngineIsRefused() {
    AnalysisException refusal =
        assertThrows(
            AnalysisException.class,
            () -> EngineStart.of(Analysis.open("program:mlp(iterations=1)").on(H100)));
    assertTrue(refusal.getMessage().contains("no request comes from load_model"));
    assertEquals(1, refusal.getMessage().lines().count());
  }
}
