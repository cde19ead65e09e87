package org.allocsim.simulator.policy.stalloc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.RandomTraces;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.offline.Placement;
import org.allocsim.simulator.policy.offline.PlanBudget;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.RequestKind;
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
    Placement placement = lifetimes.placement(new PlanBudget(buffers.size()));
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
    Placement placement = lifetimes(buffers).placement(new PlanBudget(buffers.size()));
    for (int i = 0; i < buffers.size(); i++) {
      placement.place(i);
    }
    assertEquals(4, placement.offset(5));
    assertEquals(16, placement.height());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void liveRowsOfAPlanNeverOverlap(int seed) throws UnfitTraceException {
    AllocationTrace trace = RandomTraces.of(seed, 3000, 1);
    StAllocPlan plan = PlanMaker.plan(new FutureRequests(trace, 0), UNBOUNDED);
    assertTrue(plan.reservedBytes() >= plan.liveBytes());
    assertTrue(plan.reservedBytes() < plan.liveBytes() * 1.2, "a plan that wastes more is no plan");
  }

  /** Buffers of a program without iterations, as many as have no slot. */
  private static List<Buffer> buffers(AllocationTrace trace) {
    Map<Integer, Integer> rows = new HashMap<>();
    List<Buffer> buffers = new ArrayList<>();
    int time = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.kind(event) == RequestKind.ALLOCATE) {
        if (trace.bytes(event) > 512) {
          rows.put(trace.allocation(event), buffers.size());
          buffers.add(new Buffer(time, Lifetimes.FOREVER, StaticArena.rounded(trace.bytes(event))));
        }
        time++;
      } else if (trace.kind(event) == RequestKind.FREE) {
        Integer row = rows.get(trace.allocation(event));
        if (row != null) {
          Buffer buffer = buffers.get(row);
          buffers.set(row, new Buffer(buffer.start(), time, buffer.bytes()));
        }
        time++;
      }
    }
    return buffers;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void aPlanIsTheLowestThatThreeOrdersComeTo(int seed) throws UnfitTraceException {
    SplittableRandom random = new SplittableRandom(seed);
    AllocationTrace.Builder program = new AllocationTrace.Builder();
    List<Integer> live = new ArrayList<>();
    for (int step = 0; step < 60; step++) {
      if (live.isEmpty() || random.nextInt(9) < 5) {
        live.add(program.allocate(1 + random.nextInt(9) * 512L, 0, PoolId.DEFAULT));
      } else {
        program.free(live.remove(/* index */ random.nextInt(live.size())));
      }
    }
    AllocationTrace trace = RandomTraces.build(program);
    List<Buffer> buffers = buffers(trace);
    int last = trace.eventCount() - 1;
    Comparator<Integer> bySize = Comparator.comparingLong(i -> -buffers.get(i).bytes());
    Comparator<Integer> residentsFirst =
        Comparator.comparing(i -> buffers.get(i).end() != Lifetimes.FOREVER);
    int times =
        Math.max(
            1 + buffers.stream().mapToInt(Buffer::start).max().orElse(0),
            buffers.stream().mapToInt(Buffer::end).filter(end -> end <= last).max().orElse(0));
    Comparator<Integer> byArea =
        Comparator.comparingLong(i ->
            -buffers.get(i).bytes()
                * (Math.min(buffers.get(i).end(), times) - buffers.get(i).start()));
    long lowest = Long.MAX_VALUE;
    long[] best = {};
    for (Comparator<Integer> order :
        List.of(residentsFirst.thenComparing(bySize), bySize, byArea)) {
      List<Integer> sorted = new ArrayList<>();
      for (int i = 0; i < buffers.size(); i++) {
        sorted.add(i);
      }
      sorted.sort(order);
      long[] placed = placeNaively(sorted.stream().map(buffers::get).toList());
      long[] offsets = new long[placed.length];
      long height = 0;
      for (int i = 0; i < placed.length; i++) {
        offsets[sorted.get(i)] = placed[i];
        height = Math.max(height, placed[i] + buffers.get(sorted.get(i)).bytes());
      }
      if (height < lowest) {
        lowest = height;
        best = offsets;
      }
    }
    StAllocPlan plan = PlanMaker.plan(new FutureRequests(trace, 0), UNBOUNDED);
    assertEquals(lowest, plan.reservedBytes());
    assertArrayEquals(best, plan.offsetBytes());
  }

  @Test
  void whatASteadyIterationFreesItselfSharesPlaces() throws UnfitTraceException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    int carried = -1;
    for (int iteration = 0; iteration < 4; iteration++) {
      trace.markerBegin("Iteration Index : " + iteration);
      for (int layer = 0; layer < 3; layer++) {
        trace.free(trace.allocate(8192, 0, PoolId.DEFAULT));
        trace.free(trace.allocate(512, 0, PoolId.DEFAULT));
      }
      int next = trace.allocate(1024, 0, PoolId.DEFAULT);
      if (carried >= 0) {
        trace.free(carried);
      }
      carried = next;
      trace.markerEnd("Iteration Index : " + iteration);
    }
    StAllocPlan plan = PlanMaker.plan(new FutureRequests(RandomTraces.build(trace), 0), UNBOUNDED);
    assertEquals(4, plan.firstRows());
    assertEquals(8, plan.rows());
    assertEquals(8192 + 2 * 1024, plan.reservedBytes());
    assertEquals(512, plan.slotBytes());
    assertEquals(plan.offsetBytes()[4], plan.offsetBytes()[5]);
    assertEquals(plan.offsetBytes()[5], plan.offsetBytes()[6]);
  }

  @Test
  void whatAProgramFreesBeforeItsSecondIterationSharesPlaces() throws UnfitTraceException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.markerBegin("Iteration Index : 0");
    trace.free(trace.allocate(8192, 0, PoolId.DEFAULT));
    trace.free(trace.allocate(8192, 0, PoolId.DEFAULT));
    trace.markerBegin("Iteration Index : 1");
    trace.free(trace.allocate(4096, 0, PoolId.DEFAULT));
    StAllocPlan plan = PlanMaker.plan(new FutureRequests(RandomTraces.build(trace), 0), UNBOUNDED);
    assertEquals(2, plan.firstRows());
    assertArrayEquals(new long[] {8192, 8192, 4096}, plan.bytes());
    assertEquals(8192, plan.reservedBytes());
  }

  @Test
  void theSecondIterationMayBeginWithTheFirstRequest() throws UnfitTraceException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.markerBegin("Iteration Index : 0");
    trace.markerBegin("Iteration Index : 1");
    trace.allocate(4096, 0, PoolId.DEFAULT);
    StAllocPlan plan = PlanMaker.plan(new FutureRequests(RandomTraces.build(trace), 0), UNBOUNDED);
    assertEquals(0, plan.firstRows());
    assertEquals(1, plan.rows());
  }

  @Test
  void theSteadyIterationIsPlannedOnceAndWhatItInheritsHasItsOwnPlace() throws UnfitTraceException {
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
  void requestsThatTheDeviceCannotHoldAreLeftOut() throws UnfitTraceException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.allocate(1024, 0, PoolId.DEFAULT);
    trace.allocate(1L << 50, 0, PoolId.DEFAULT);
    trace.allocate(2048, 0, PoolId.DEFAULT);
    trace.allocate(2049, 0, PoolId.DEFAULT);
    StAllocPlan plan = PlanMaker.plan(new FutureRequests(RandomTraces.build(trace), 0), 2048);
    assertArrayEquals(new int[] {1, 3}, plan.unplanned());
    assertEquals(3072, plan.reservedBytes());
  }
}
