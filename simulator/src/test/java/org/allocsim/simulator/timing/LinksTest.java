package org.allocsim.simulator.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.simulator.device.cost.ComputeProfile;
import org.allocsim.simulator.trace.Work.Collective;
import org.allocsim.simulator.trace.Work.Collective.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class LinksTest {
  private static final long GIB = 1L << 30;

  private static long nanos(Pattern pattern, long bytes, int ranks) {
    return Links.nanos(new Collective(pattern, bytes, ranks), ComputeProfile.H100);
  }

  /** Medians of 20 calls between two H200, whose links are those of H100. */
  @ParameterizedTest
  @CsvSource({
    "ALL_REDUCE, 3353168",
    "ALL_GATHER, 2014336",
    "REDUCE_SCATTER, 2064384",
    "BROADCAST, 2942320",
    "SEND, 2942224"
  })
  void aGibibyteBetweenTwoTakesAsLongAsMeasured(Pattern pattern, long measured) {
    assertEquals(1, (double) nanos(pattern, GIB, 2) / measured, 0.05);
  }

  @ParameterizedTest
  @EnumSource
  void nobodyElseMeansNoTimeAndMoreRanksOfAHostNoLess(Pattern pattern) {
    assertEquals(0, nanos(pattern, GIB, 1));
    for (int ranks = 2; ranks < 8; ranks++) {
      assertTrue(nanos(pattern, GIB, ranks) <= nanos(pattern, GIB, ranks + 1));
    }
  }

  /** A ring's steps grow with the ranks, a tree's with the logarithm of the hosts. */
  @Test
  void smallSumsOfManyHostsTakeATree() {
    long some = nanos(Pattern.ALL_REDUCE, 1024, 1024);
    long many = nanos(Pattern.ALL_REDUCE, 1024, 4096);
    assertEquals(2 * 2 * 28_000, many - some);
  }

  /** 50 GB/s for each GPU, not 450, carry what leaves a host. */
  @Test
  void tokensThatLeaveTheHostTakeTheNetwork() {
    assertTrue(nanos(Pattern.ALL_TO_ALL, GIB, 16) > 4 * nanos(Pattern.ALL_TO_ALL, GIB, 8));
  }

  @Test
  void messagesRunBesideKernelsAndOneAfterTheOther() {
    GpuTimeline gpu = new GpuTimeline(3, 0, (tag, nanos) -> {});
    gpu.work(0, GpuTimeline.COMPUTE, 100, 0);
    gpu.work(1, GpuTimeline.LINKS, 60, 0);
    gpu.work(2, GpuTimeline.LINKS, 60, 0);
    assertEquals(60, gpu.finish(1));
    assertEquals(120, gpu.finishAll());
  }
}
