package org.allocsim.simulator.policy.pytorch.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.stream.IntStream;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.policy.PolicyRun;
import org.allocsim.simulator.policy.PolicyTraits;
import org.allocsim.simulator.policy.RandomTraces;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.trace.AllocationTrace;
import org.junit.jupiter.api.Test;

/** Settings that are taken for equal for a program make the allocator do the same. */
class ProgramSettingsTest {
  private static final long MIB = 1L << 20;
  private static final String[] ROUNDINGS = {"", ",roundup_power2_divisions:4"};

  private static PolicyRun run(AllocationTrace trace, String conf, long capacityBytes) {
    return PolicyRun.of(
        "pytorch",
        conf.isEmpty() ? Map.of() : Map.of("conf", conf),
        trace,
        capacityBytes,
        -1,
        PolicyTraits.USUAL,
        false);
  }

  private static long largestBytes(AllocationTrace trace) {
    return IntStream.range(0, trace.eventCount()).mapToLong(trace::bytes).max().orElseThrow();
  }

  @Test
  void splitLimitThatNoBlockReachesAndCollectionWithoutLimitChangeNothing() throws Exception {
    int same = 0;
    int failures = 0;
    for (int seed = 0; seed < 24; seed++) {
      AllocationTrace trace = RandomTraces.of(seed, 600, 2);
      long enoughBytes = run(trace, "", 1L << 40).peakReservedBytes();
      for (String rounding : ROUNDINGS) {
        for (int limitMib = 20; limitMib <= 160; limitMib += 20) {
          String conf =
              "max_split_size_mb:%d,max_non_split_rounding_mb:32,garbage_collection_threshold:0.7%s"
                  .formatted(limitMib, rounding);
          AllocatorConfig config = ConfigParser.parse(conf, PyTorchVersion.V2_11).allocator();
          AllocatorConfig effective = config.forProgram(largestBytes(trace), false);
          assertEquals(0, effective.garbageCollectionThreshold());
          if (effective.maxSplitBytes() == AllocatorConfig.UNLIMITED) {
            for (long capacityBytes : new long[] {1L << 40, enoughBytes * 3 / 4}) {
              String plain = rounding.isEmpty() ? "" : rounding.substring(1);
              PolicyRun without = run(trace, plain, capacityBytes);
              assertEquals(without.effects(), run(trace, conf, capacityBytes).effects(), conf);
              failures += without.count(EffectKind.OOM);
              same++;
            }
          }
        }
      }
    }
    assertTrue(same > 100 && failures > 100, same + " pairs, " + failures + " failures");
  }

  @Test
  void splitLimitAtTheLargestSegmentIsKept() throws Exception {
    AllocatorConfig config =
        ConfigParser.parse("max_split_size_mb:64", PyTorchVersion.V2_11).allocator();
    long largest = 64 * MIB - AllocatorConfig.DEFAULT.blockBytesFor(1);
    assertEquals(config.maxSplitBytes(), config.forProgram(largest, true).maxSplitBytes());
    assertNotEquals(config, config.forProgram(largest - 2 * MIB, true));
  }

  @Test
  void whatCountsUnderLimitOrGrowsBeyondRequestsIsKept() throws Exception {
    for (String conf :
        new String[] {
          "garbage_collection_threshold:0.7", "expandable_segments:True,max_split_size_mb:512"
        }) {
      AllocatorConfig config = ConfigParser.parse(conf, PyTorchVersion.V2_11).allocator();
      assertEquals(config, config.forProgram(MIB, true));
    }
  }
}
