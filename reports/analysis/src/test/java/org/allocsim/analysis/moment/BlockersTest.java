package org.allocsim.analysis.moment;

import static org.allocsim.analysis.moment.TestPrograms.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.allocsim.analysis.moment.FitTrial.Remedy;
import org.allocsim.analysis.moment.FitTrial.Way;
import org.allocsim.analysis.moment.MomentQuery.Kind;
import org.allocsim.analysis.program.Program;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockersTest {
  private static final long PAGE = 20 * MIB;

  /** Two segments of 100 MiB, each held open by a small survivor, on a device of 220 MiB. */
  private static AllocationTrace.Builder pinnedTwice(long firstBytes, long secondBytes) {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    int first = trace.allocate(100 * MIB, 0, PoolId.DEFAULT);
    int second = trace.allocate(100 * MIB, 0, PoolId.DEFAULT);
    trace.free(first);
    trace.allocate(firstBytes, 0, PoolId.DEFAULT);
    trace.free(second);
    int rest = trace.allocate(99 * MIB - firstBytes, 0, PoolId.DEFAULT);
    trace.allocate(secondBytes, 0, PoolId.DEFAULT);
    trace.free(rest);
    return trace;
  }

  private static List<Blockers.Segment> segments(MemoryMoment moment, Blockers.Order order) {
    return Blockers.of(moment.layout(), PAGE, order);
  }

  @Test
  void segmentsAreRankedByWhatEachByteInUsePins() throws Exception {
    Landmarks landmarks =
        TestPrograms.survey(
            TestPrograms.modelled(
                pinnedTwice(12 * MIB, 15 * MIB), StackTable.empty(), "", 220 * MIB));
    MemoryMoment end = TestPrograms.at(landmarks, Kind.END);
    List<Blockers.Segment> ranked = segments(end, Blockers.Order.RATIO);
    assertEquals(
        List.of(12 * MIB, 15 * MIB), ranked.stream().map(Blockers.Segment::blockerBytes).toList());
    assertEquals(
        List.of(88 * MIB, 85 * MIB), ranked.stream().map(Blockers.Segment::freeBytes).toList());
    assertEquals(2, ranked.getFirst().blocks().getFirst().allocation());
  }

  @ParameterizedTest
  @ValueSource(strings = {"cat_growth", "prefetch_streams", "device_oom", "two_gpu"})
  void heldOpenBytesAreTheInactiveSplitBytesOfTheSlack(String name) throws Exception {
    Landmarks landmarks = TestPrograms.survey(TestPrograms.recorded(TestPrograms.shipped(name)));
    for (Landmarks each :
        List.of(
            landmarks,
            TestPrograms.survey(
                TestPrograms.under(landmarks.program(), "expandable_segments:True")))) {
      MemoryMoment peak = TestPrograms.at(each, Kind.PEAK_RESERVED);
      // Free pages and blocks in segments where all blocks in use await their free are pinned too.
      assertEquals(
          peak.slack().stuckBytes() + peak.slack().otherStuckBytes(),
          segments(peak, Blockers.Order.FREE).stream()
              .mapToLong(Blockers.Segment::freeBytes)
              .sum());
    }
  }

  @Test
  void theCheapestSurvivorIsNamedAndConfirmed() throws Exception {
    AllocationTrace.Builder trace = pinnedTwice(12 * MIB, 15 * MIB);
    trace.allocate(100 * MIB, 0, PoolId.DEFAULT);
    FitTrial trial = trial(TestPrograms.modelled(trace, StackTable.empty(), "", 220 * MIB));
    assertFalse(trial.isServedWithout(List.of()), "nothing changes without a change");
    assertEquals(80 * MIB, trial.missingBytes());
    List<Remedy> remedies = trial.remedies();
    assertEquals(2, remedies.size());
    for (Remedy remedy : remedies) {
      assertTrue(remedy.confirmed());
      assertEquals(12 * MIB, remedy.bytes());
      assertEquals(List.of(2), remedy.blocks().stream().map(Blockers.Block::allocation).toList());
    }
    assertEquals(Way.HOLE, remedies.getFirst().way());
    assertEquals(100 * MIB, remedies.getFirst().gainedBytes());
  }

  @Test
  void severalSegmentsAreReleasedWhereNoneIsLargeEnough() throws Exception {
    AllocationTrace.Builder trace = pinnedTwice(12 * MIB, 15 * MIB);
    trace.allocate(150 * MIB, 0, PoolId.DEFAULT);
    FitTrial trial = trial(TestPrograms.modelled(trace, StackTable.empty(), "", 220 * MIB));
    List<Remedy> remedies = trial.remedies();
    assertEquals(1, remedies.size());
    assertEquals(Way.RELEASE, remedies.getFirst().way());
    assertEquals(27 * MIB, remedies.getFirst().bytes());
    assertTrue(remedies.getFirst().confirmed());
    assertFalse(trial.isServedWithout(remedies.getFirst().blocks().subList(0, 1)));
  }

  @Test
  void aRequestBeyondTheGpuFitsWithoutNothing() throws Exception {
    AllocationTrace.Builder trace = pinnedTwice(12 * MIB, 15 * MIB);
    trace.allocate(500 * MIB, 0, PoolId.DEFAULT);
    FitTrial trial = trial(TestPrograms.modelled(trace, StackTable.empty(), "", 220 * MIB));
    assertEquals(List.of(), trial.remedies());
  }

  @Test
  void aRecordedFailureIsTriedToo() throws Exception {
    FitTrial trial = trial(TestPrograms.recorded(TestPrograms.shipped("device_oom")));
    assertFalse(trial.isServedWithout(List.of()));
    assertTrue(trial.missingBytes() > 0);
    for (Remedy remedy : trial.remedies()) {
      assertTrue(remedy.confirmed(), remedy.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pytorch-models/gpt_oom",
        "pytorch-models/gpt_oom.expandable",
        "pytorch-models/gpt_oom.max_split_64",
        "pytorch-models/device_oom.expandable",
        "pytorch-other/oom_observer"
      })
  void everyRecordedFailureFitsWithoutTheBlocksThatAreNamed(String name) throws Exception {
    FitTrial trial = trial(TestPrograms.recorded(TestPrograms.shared(name)));
    assertFalse(trial.isServedWithout(List.of()));
    List<Remedy> remedies = trial.remedies();
    assertFalse(remedies.isEmpty());
    for (Remedy remedy : remedies) {
      assertTrue(remedy.confirmed(), remedy.way() + " of " + remedy.bytes());
      assertEquals(remedy.bytes(), remedy.blocks().stream().mapToLong(Blockers.Block::bytes).sum());
    }
  }

  /** Random programs: a hole is the cheapest there is, and the allocator agrees that it serves. */
  @Test
  void noCheaperHoleExists() throws Exception {
    int holes = 0;
    for (int seed = 0; seed < 60; seed++) {
      Landmarks landmarks =
          TestPrograms.survey(
              TestPrograms.modelled(randomProgram(seed), StackTable.empty(), "", 320 * MIB));
      MemoryMoment moment = TestPrograms.at(landmarks, Kind.FIRST_OOM);
      FitTrial trial = new FitTrial(landmarks, moment);
      assertFalse(trial.isServedWithout(List.of()));
      long cheapest = cheapestHole(moment.layout(), moment.failure().shortage().roundedBytes());
      for (Remedy remedy : trial.remedies()) {
        assertTrue(remedy.confirmed(), "seed " + seed + ": " + remedy);
        if (remedy.way() == Way.HOLE) {
          holes++;
          assertEquals(cheapest, remedy.bytes(), "seed " + seed);
        }
      }
    }
    assertTrue(holes > 20, "only " + holes + " holes");
  }

  private static AllocationTrace.Builder randomProgram(int seed) {
    Random random = new Random(seed);
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    List<Integer> live = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      if (live.size() > 6 && random.nextInt(100) < 48) {
        Collections.swap(live, random.nextInt(live.size()), live.size() - 1);
        trace.free(live.removeLast());
      } else {
        live.add(trace.allocate((2 + random.nextInt(24)) * MIB, 0, PoolId.DEFAULT));
      }
    }
    // Whatever the program holds by then, three quarters of the GPU do not fit beside it.
    trace.allocate(100 * MIB, 0, PoolId.DEFAULT);
    trace.allocate(100 * MIB, 0, PoolId.DEFAULT);
    trace.allocate(100 * MIB, 0, PoolId.DEFAULT);
    trace.allocate(100 * MIB, 0, PoolId.DEFAULT);
    return trace;
  }

  private static long cheapestHole(MemoryLayout layout, long bytes) {
    long cheapest = Long.MAX_VALUE;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      for (int from = layout.firstBlock(segment); from < layout.firstBlock(segment + 1); from++) {
        long length = 0;
        long used = 0;
        for (int b = from; b < layout.firstBlock(segment + 1); b++) {
          length += layout.blockBytes(b);
          used += layout.state(b) == BlockState.INACTIVE ? 0 : layout.blockBytes(b);
          if (length >= bytes) {
            cheapest = Math.min(cheapest, used);
          }
        }
      }
    }
    return cheapest;
  }

  private static FitTrial trial(Program input) {
    Landmarks landmarks = TestPrograms.survey(input);
    return new FitTrial(landmarks, TestPrograms.at(landmarks, Kind.FIRST_OOM));
  }
}
