package org.allocsim.workloads.transform;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;

/** Windows, repetitions, other batches, other orders of steps, and ranks. */
class ProgramTransformsTest {
  private static List<Object> requests(AllocationTrace trace, int from, int to) {
    List<Object> requests = new ArrayList<>();
    for (int event = from; event < to; event++) {
      requests.add(TransformTest.request(trace, event));
    }
    return requests;
  }

  private static List<Object> program(AllocationTrace trace) {
    return requests(trace, trace.prologueCount(), trace.eventCount());
  }

  /** Sizes of what is held before a row, by device, in ascending order. */
  private static List<Long> live(AllocationTrace trace, int before) {
    BitSet live = new BitSet();
    int[] rows = new int[trace.allocationCount()];
    for (int event = 0; event < before; event++) {
      switch (trace.kind(event)) {
        case ALLOCATE, RESTORE_BLOCK -> {
          rows[trace.allocation(event)] = event;
          live.set(event);
        }
        case FREE -> live.clear(rows[trace.allocation(event)]);
        default -> {}
      }
    }
    return live.stream()
        .mapToObj(row -> trace.device(row) * 1_000_000L + trace.bytes(row))
        .sorted()
        .toList();
  }

  @Test
  void windowsOneAfterTheOtherAreTheProgram() {
    for (int seed = 0; seed < 100; seed++) {
      AllocationTrace trace = TransformTest.everything(seed);
      SplittableRandom random = new SplittableRandom(seed);
      int cut = random.nextInt(trace.prologueCount(), trace.eventCount() + 1);
      AllocationTrace first = new Window(0, cut).of(trace);
      AllocationTrace second = new Window(cut, trace.eventCount()).of(trace);
      List<Object> both = new ArrayList<>(program(first));
      both.addAll(program(second));
      assertEquals(program(trace), both, "seed " + seed + " cut at " + cut);
      assertEquals(live(trace, cut), live(second, second.prologueCount()));
      assertEquals(live(trace, trace.eventCount()), live(second, second.eventCount()));
    }
  }

  @Test
  void theWholeProgramIsAWindowOfItself() {
    for (int seed = 0; seed < 20; seed++) {
      AllocationTrace trace = TransformTest.everything(seed);
      AllocationTrace whole = new Window(0, trace.eventCount()).of(trace);
      assertEquals(TransformTest.rows(trace), TransformTest.rows(whole));
      assertEquals(trace.prologueCount(), whole.prologueCount());
    }
  }

  @Test
  void rowsAboutWhatWasGivenBackBeforeAreLeftOut() {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    int gone = builder.allocate(1, 0, PoolId.DEFAULT);
    builder.useStream(gone, 7, 0);
    builder.free(gone);
    int held = builder.allocate(2, 0, PoolId.DEFAULT);
    builder.useStream(held, 7, 1);
    int host = builder.allocateHost(3);
    int from = builder.eventCount();
    builder.useComplete(gone);
    builder.useComplete(held);
    builder.freeHost(host);
    AllocationTrace trace = builder.build(StackTable.empty());
    AllocationTrace window = new Window(from, trace.eventCount()).of(trace);
    assertEquals(
        List.of(
            RequestKind.ALLOCATE,
            RequestKind.HOST_ALLOCATE,
            RequestKind.USE_STREAM,
            RequestKind.USE_COMPLETE,
            RequestKind.HOST_FREE),
        kinds(window));
    assertEquals(3, window.prologueCount());
  }

  private static List<RequestKind> kinds(AllocationTrace trace) {
    List<RequestKind> kinds = new ArrayList<>();
    for (int event = 0; event < trace.eventCount(); event++) {
      kinds.add(trace.kind(event));
    }
    return kinds;
  }

  @Test
  void partsThatAreNoneAreRefused() {
    AllocationTrace trace = TransformTest.everything(1);
    assertThrows(IllegalArgumentException.class, () -> new Window(3, 2));
    assertThrows(IllegalArgumentException.class, () -> new Window(-1, 2));
    Window after = new Window(0, trace.eventCount() + 1);
    assertThrows(IllegalArgumentException.class, () -> after.of(trace));
  }

  @Test
  void everyPassMakesTheSameRequestsFromTheSameStart() {
    for (int seed = 0; seed < 40; seed++) {
      AllocationTrace trace = TransformTest.everything(seed);
      AllocationTrace thrice = Repetition.of(trace, 3);
      List<Object> expected = program(trace);
      List<Long> start = live(trace, trace.prologueCount());
      List<Object> all = program(thrice);
      int seam = (all.size() - 3 * expected.size()) / 2;
      for (int pass = 0; pass < 3; pass++) {
        int begin = pass * (expected.size() + seam);
        assertEquals(expected, all.subList(begin, begin + expected.size()), "pass " + pass);
        assertEquals(start, live(thrice, thrice.prologueCount() + begin), "pass " + pass);
      }
      assertEquals(live(trace, trace.eventCount()), live(thrice, thrice.eventCount()));
      long last = Long.MIN_VALUE;
      for (int event = thrice.prologueCount(); event < thrice.eventCount(); event++) {
        assertTrue(thrice.timeNanos(event) >= last, "time goes on");
        last = thrice.timeNanos(event);
      }
    }
  }

  @Test
  void onceIsTheProgramAndLessIsRefused() {
    AllocationTrace trace = TransformTest.everything(3);
    assertEquals(TransformTest.rows(trace), TransformTest.rows(Repetition.of(trace, 1)));
    assertThrows(IllegalArgumentException.class, () -> Repetition.of(trace, 0));
    assertThrows(IllegalArgumentException.class, () -> Repetition.of(trace, Integer.MAX_VALUE));
  }

  /** Each step takes its number in bytes, clears what the one before has left, and leaves one. */
  private static AllocationTrace steps(int count) {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    builder.allocate(1_000, 0, PoolId.DEFAULT);
    int left = -1;
    for (int step = 0; step < count; step++) {
      builder.at(0, 100L * step, 0);
      builder.markerBegin("step " + step);
      if (left >= 0) {
        builder.free(left);
      }
      builder.free(builder.allocate(100 + step, 0, PoolId.DEFAULT));
      left = builder.allocate(200 + step, 0, PoolId.DEFAULT);
      builder.at(0, 100L * step + 50, 0);
      builder.markerEnd("step " + step);
    }
    builder.free(left);
    return builder.build(StackTable.empty());
  }

  private static StepOrder boundaries(AllocationTrace trace) {
    List<Integer> begins = new ArrayList<>();
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.kind(event) == RequestKind.MARKER_BEGIN) {
        begins.add(event);
      }
    }
    begins.add(trace.eventCount() - 1);
    return new StepOrder(begins.stream().mapToInt(i -> i).toArray());
  }

  @Test
  void stepsInTheirOwnOrderAreTheProgram() {
    AllocationTrace trace = steps(5);
    AllocationTrace same = boundaries(trace).apply(trace, new int[] {0, 1, 2, 3, 4});
    assertEquals(program(trace), program(same));
  }

  @Test
  void anyOrderMakesTheSameRequestsAndGivesEverythingBack() {
    AllocationTrace trace = steps(7);
    StepOrder steps = boundaries(trace);
    for (int seed = 0; seed < 50; seed++) {
      AllocationTrace shuffled = steps.apply(trace, steps.shuffled(seed));
      assertEquals(sizes(trace), sizes(shuffled));
      assertEquals(
          live(trace, trace.eventCount()), live(shuffled, shuffled.eventCount()), "seed " + seed);
      for (int event = 1; event < shuffled.eventCount(); event++) {
        assertTrue(shuffled.timeNanos(event) >= shuffled.timeNanos(event - 1));
        // The one that stays, one left over from each of two steps, and the step's own.
        assertTrue(live(shuffled, event).size() <= 4, "nothing is given back later than that");
      }
    }
    assertNotEquals(Arrays.toString(steps.shuffled(1)), Arrays.toString(steps.shuffled(2)));
    assertArrayEquals(steps.shuffled(1), steps.shuffled(1));
  }

  private static List<Long> sizes(AllocationTrace trace) {
    List<Long> sizes = new ArrayList<>();
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.kind(event) == RequestKind.ALLOCATE) {
        sizes.add(trace.bytes(event));
      }
    }
    return sizes.stream().sorted().toList();
  }

  @Test
  void ordersThatAreNoneAreRefused() {
    AllocationTrace trace = steps(3);
    StepOrder steps = boundaries(trace);
    for (int[] order : List.of(new int[] {0, 1}, new int[] {0, 1, 1}, new int[] {1, 2, 3})) {
      assertThrows(
          IllegalArgumentException.class, () -> steps.apply(trace, order), Arrays.toString(order));
    }
    assertThrows(IllegalArgumentException.class, () -> new StepOrder(new int[] {3}));
    assertThrows(IllegalArgumentException.class, () -> new StepOrder(new int[] {3, 3}));
  }

  @Test
  void everyRankIsADeviceWithItsOwnRows() {
    AllocationTrace first = TransformTest.everything(5);
    AllocationTrace second = TransformTest.everything(6);
    AllocationTrace merged = RankMerge.of(List.of(first, second));
    assertEquals(first.deviceCount() + second.deviceCount(), merged.deviceCount());
    assertEquals(first.prologueCount() + second.prologueCount(), merged.prologueCount());
    assertEquals(first.eventCount() + second.eventCount(), merged.eventCount());
    for (int device = 0; device < merged.deviceCount(); device++) {
      boolean ofFirst = device < first.deviceCount();
      assertEquals(
          rowsOf(ofFirst ? first : second, ofFirst ? device : device - first.deviceCount()),
          rowsOf(merged, device));
    }
    assertThrows(IllegalArgumentException.class, () -> RankMerge.of(List.of()));
  }

  private static List<String> rowsOf(AllocationTrace trace, int device) {
    List<String> rows = new ArrayList<>();
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) == device) {
        rows.add(
            trace.kind(event)
                + " "
                + trace.bytes(event)
                + " "
                + trace.timeNanos(event)
                + " "
                + trace.poolId(trace.pool(event)));
      }
    }
    return rows;
  }

  @Test
  void stacksOfRanksComeToOneTable() {
    AllocationTrace merged = RankMerge.of(List.of(withStack("a.py", 1), withStack("b.py", 2)));
    assertEquals("a.py", merged.stacks().frame(merged.stack(0), 0).file());
    assertEquals("b.py", merged.stacks().frame(merged.stack(1), 0).file());
  }

  private static AllocationTrace withStack(String file, int line) {
    StackTable.Builder stacks = new StackTable.Builder();
    int stack = stacks.stack(stacks.frame(file, line, "f"));
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    builder.at(0, 0, stack).allocate(1, 0, PoolId.DEFAULT);
    return builder.build(stacks.build());
  }
}
