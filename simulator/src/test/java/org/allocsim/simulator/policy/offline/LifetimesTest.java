package org.allocsim.simulator.policy.offline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.RandomTraces;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.junit.jupiter.api.Test;

class LifetimesTest {
  @Test
  void whatADeviceIsAskedForLivesFromItsRequestToItsFree() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    int restored = trace.restoreBlock(300, 0, PoolId.DEFAULT, AllocationTrace.NO_ALLOCATION, 0);
    trace.at(1, 10, 0);
    trace.allocate(100, 0, PoolId.DEFAULT);
    trace.at(0, 20, 0);
    int first = trace.allocate(512, 0, PoolId.DEFAULT);
    trace.allocate(0, 0, PoolId.DEFAULT);
    trace.at(0, 35, 0);
    trace.free(first);
    int largest = trace.allocate(2048, 0, PoolId.DEFAULT);
    trace.allocate(2049, 0, PoolId.DEFAULT);
    trace.at(0, 50, 0);
    trace.synchronize();
    Lifetimes.OfTrace all =
        Lifetimes.of(new FutureRequests(RandomTraces.build(trace), 0), 512, 2048);
    assertArrayEquals(new int[] {restored, first, largest}, all.allocations());
    assertEquals(6, all.allocationCount());
    assertArrayEquals(new long[] {0, 2, 5}, all.lifetimes().lower());
    assertArrayEquals(new long[] {8, 4, 8}, all.lifetimes().upper());
    assertArrayEquals(new long[] {50, 15, 15}, all.lifetimes().nanos());
    assertArrayEquals(new long[] {512, 512, 2048}, all.lifetimes().bytes());
  }

  @Test
  void nothingLivesAtTheMomentOfItsEnd() {
    SplittableRandom random = new SplittableRandom(9);
    for (int run = 0; run < 100; run++) {
      Lifetimes lifetimes = RandomLifetimes.of(random, random.nextInt(30), 30, 9);
      long most =
          IntStream.range(0, 60).mapToLong(time -> liveBytes(lifetimes, time)).max().orElseThrow();
      assertEquals(most, lifetimes.maxLiveBytes());
    }
  }

  private static long liveBytes(Lifetimes lifetimes, int time) {
    return IntStream.range(0, lifetimes.count())
        .filter(i -> lifetimes.lower()[i] <= time && time < lifetimes.upper()[i])
        .mapToLong(i -> lifetimes.bytes()[i])
        .sum();
  }
}
