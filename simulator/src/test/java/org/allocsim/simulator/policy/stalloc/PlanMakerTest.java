package org.allocsim.simulator.policy.stalloc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.RandomTraces;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plans from profiles. */
class PlanMakerTest {
  private static final long UNBOUNDED = Long.MAX_VALUE >> 3;

  private record Buffer(int start, int end, long bytes) {}

  private static Lifetimes lifetimes(List<Buffer> buffers) {
    Lifetimes lifetimes = new Lifetimes();
    for (Buffer buffer : buffers) {
      int row = lifetimes.add(buffer.start(), buffer.bytes());
      if (buffer.end() != Lifetimes.FOREVER) {
        lifetimes.setEnd(row, buffer.end());
      }
    }
    return lifetimes;
  }

  /** The rule, with every placed buffer looked at. */
  private static long[] placeNaively(List<Buffer> buffers) {
    long[] offset = new long[buffers.size()];
    List<Integer> placed = new ArrayList<>();
    for (int i = 0; i < buffers.size(); i++) {
      Buffer buffer = buffers.get(i);
      placed.sort(Comparator.comparingLong(p -> offset[p]));
      long smallest = Long.MAX_VALUE;
      long found = -1;
      long reached = 0;
      for (int p : placed) {
        Buffer other = buffers.get(p);
        if (other.start() < buffer.end() && buffer.start() < other.end()) {
          long gap = offset[p] - reached;
          if (gap >= buffer.bytes() && gap < smallest) {
            smallest = gap;
            found = reached;
          }
          reached = Math.max(reached, offset[p] + other.bytes());
        }
      }
      offset[i] = found >= 0 ? found : reached;
      placed.add(i);
    }
    return offset;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void windowsOfTimeChangeNothingInThePlacement(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Buffer> buffers = new ArrayList<>();
    for (int i = 0; i < 1500; i++) {
      int start = random.nextInt(40_000);
      int longest = random.nextInt(5) == 0 ? 40_000 : 300;
      int end = start + 1 + random.nextInt(longest);
      buffers.add(
          new Buffer(
              start,
              random.nextInt(60) == 0 ? Lifetimes.FOREVER : end,
              512L * (1 + random.nextInt(20))));
    }
    Lifetimes lifetimes = lifetimes(buffers);
    Placement placement = new Placement(lifetimes);
    long[] offsets = new long[buffers.size()];
    for (int i = 0; i < buffers.size(); i++) {
      placement.place(i);
      offsets[i] = placement.offset(i);
    }
    assertArrayEquals(placeNaively(buffers), offsets);
  }

  @Test
  void equalGapsAreFilledFromTheLowest() {
    // PLN-5: what lies at [0,4), [6,10) and [12,16) leaves two gaps of 2.
    List<Buffer> buffers =
        List.of(
            new Buffer(0, 9, 4),
            new Buffer(0, 3, 2),
            new Buffer(0, 9, 4),
            new Buffer(0, 3, 2),
            new Buffer(0, 9, 4),
            new Buffer(5, 9, 2));
    Placement placement = new Placement(lifetimes(buffers));
    for (int i = 0; i < buffers.size(); i++) {
      placement.place(i);
    }
    assertEquals(4, placement.offset(5));
    assertEquals(16, placement.height());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void liveRowsOfAPlanNeverOverlap(int seed) {
    AllocationTrace trace = RandomTraces.of(seed, 3000, 1);
    StAllocPlan plan = PlanMaker.plan(new FutureRequests(trace, 0), UNBOUNDED);
    assertTrue(plan.reservedBytes() >= plan.liveBytes());
    assertTrue(plan.reservedBytes() < plan.liveBytes() * 1.2, "a plan that wastes more is no plan");
  }

  @Test
  void theSteadyIterationIsPlannedOnceAndWhatItInheritsHasItsOwnPlace() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    int weights = trace.allocate(4096, 0, PoolId.DEFAULT);
    int carried = -1;
    for (int iteration = 0; iteration < 3; iteration++) {
      trace.markerBegin("Iteration Index : " + iteration);
      int activation = trace.allocate(8192, 0, PoolId.DEFAULT);
      int next = trace.allocate(2048, 0, PoolId.DEFAULT);
      trace.allocate(1, 0, PoolId.DEFAULT);
      if (carried >= 0) {
        trace.free(carried);
      }
      carried = next;
      trace.free(activation);
      trace.markerEnd("Iteration Index : " + iteration);
    }
    trace.free(weights);
    StAllocPlan plan = PlanMaker.plan(new FutureRequests(RandomTraces.build(trace), 0), UNBOUNDED);
    assertEquals(3, plan.firstRows());
    assertEquals(5, plan.rows());
    assertEquals(4096 + 8192 + 2 * 2048, plan.reservedBytes());
    assertEquals(3 * 512, plan.slotBytes());
  }

  @Test
  void requestsThatTheDeviceCannotHoldAreLeftOut() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.allocate(1024, 0, PoolId.DEFAULT);
    trace.allocate(1L << 50, 0, PoolId.DEFAULT);
    trace.allocate(2048, 0, PoolId.DEFAULT);
    StAllocPlan plan = PlanMaker.plan(new FutureRequests(RandomTraces.build(trace), 0), 1L << 40);
    assertArrayEquals(new int[] {1}, plan.unplanned());
    assertEquals(3072, plan.reservedBytes());
  }
}
