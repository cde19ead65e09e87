package org.allocsim.analysis.leak;

import static org.allocsim.analysis.leak.SyntheticProgram.MIB;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeakAnalysisTest {
  private static final SyntheticProgram.Extra NOTHING = (_, _) -> {};

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void aLeakIsFoundUnderVaryingBatchesAndItsSlopeLiesInTheInterval(long seed)
      throws IterationException {
    LeakAnalysis analysis =
        new SyntheticProgram(seed)
            .iterate(30, 4 * MIB, 16 * MIB, (program, _) -> program.allocate(MIB))
            .analyse();
    assertEquals(LeakVerdict.LEAK, analysis.verdict());
    assertHolds(analysis.floor(), MIB);
    assertHolds(analysis.kept().orElseThrow(), MIB);
    assertEquals(1, analysis.warmUp(), "optimizer states come in the first iteration");
  }

  @Test
  void leaksOfRandomProgramsAreFound() throws IterationException {
    int found = 0;
    int held = 0;
    for (int seed = 5000; seed < 5600; seed++) {
      long leaked = 512L << (seed % 12);
      LeakAnalysis analysis =
          new SyntheticProgram(seed)
              .iterate(10 + seed % 100 / 2, MIB, 9 * MIB, (program, _) -> program.allocate(leaked))
              .analyse();
      Trend trend = analysis.deciding();
      found += analysis.verdict() == LeakVerdict.LEAK ? 1 : 0;
      held += trend.lower() <= leaked && leaked <= trend.upper() ? 1 : 0;
    }
    assertEquals(598, found);
    assertEquals(599, held);
  }

  @Test
  void oneBlockAnIterationIsALeakThatVaryingBatchesDoNotHide() throws IterationException {
    LeakAnalysis analysis =
        new SyntheticProgram(1)
            .iterate(30, 4 * MIB, 16 * MIB, (program, _) -> program.allocate(4))
            .analyse();
    assertFalse(analysis.floor().grows(), "noise of megabytes hides 512 B in the floor");
    assertEquals(LeakVerdict.LEAK, analysis.verdict());
    assertEquals(512, analysis.deciding().slope());
    assertEquals(512, analysis.deciding().lower());
    assertEquals(512, analysis.deciding().upper());
  }

  @Test
  void lessThanABlockAnIterationIsNone() throws IterationException {
    LeakAnalysis analysis =
        new SyntheticProgram(1)
            .iterate(
                60,
                4 * MIB,
                4 * MIB,
                (program, i) -> {
                  if (i % 2 == 0) {
                    program.allocate(4);
                  }
                })
            .analyse();
    assertEquals(LeakVerdict.NONE, analysis.verdict());
    assertHolds(analysis.floor(), 256);
  }

  @Test
  void aBufferReplacedByAnEverLargerOneIsALeakOfTheFloor() throws IterationException {
    int[] held = {-1};
    LeakAnalysis analysis =
        new SyntheticProgram(1)
            .iterate(
                30,
                4 * MIB,
                4 * MIB,
                (program, i) -> {
                  int longer = program.allocate((i + 1) * MIB);
                  if (held[0] >= 0) {
                    program.trace.free(held[0]);
                  }
                  held[0] = longer;
                })
            .analyse();
    assertEquals(LeakVerdict.LEAK, analysis.verdict());
    assertTrue(analysis.floor().grows());
    assertFalse(analysis.kept().orElseThrow().grows(), "nothing gets old");
    assertEquals(MIB, analysis.floor().slope());
  }

  /** Repetitions that keep a block each, from one line of a function that has others. */
  private static AllocationTrace gathering(String function, boolean isFreedAtEnd) {
    StackTable.Builder stacks = new StackTable.Builder();
    int outer = stacks.frame("run.py", 9, "<module>");
    int input = stacks.stack(stacks.frame("net.py", 18, function), outer);
    int layer = stacks.stack(stacks.frame("net.py", 20, function), outer);
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.at(0, 0, input);
    List<Integer> kept = new ArrayList<>(List.of(trace.allocate(12 * MIB, 0, PoolId.DEFAULT)));
    for (int i = 0; i < 12; i++) {
      trace.at(0, i, layer);
      int first = trace.allocate(12 * MIB, 0, PoolId.DEFAULT);
      kept.add(trace.allocate(16 * MIB, 0, PoolId.DEFAULT));
      int second = trace.allocate(12 * MIB, 0, PoolId.DEFAULT);
      trace.free(first);
      trace.free(second);
    }
    if (isFreedAtEnd) {
      kept.forEach(trace::free);
    }
    return trace.build(stacks.build());
  }

  private static LeakAnalysis analyse(AllocationTrace trace) throws IterationException {
    return SyntheticProgram.analyse(
        trace, AllocatorConfig.DEFAULT, new IterationFinder(trace, 0).any());
  }

  @Test
  void layersOfAModelWhoseForwardIsCalledDirectlyAreNoIterations() {
    for (boolean isFreedAtEnd : new boolean[] {true, false}) {
      IterationException refused =
          assertThrows(IterationException.class, () -> analyse(gathering("forward", isFreedAtEnd)));
      assertTrue(
          refused.getMessage().contains("only layers of one forward pass repeat"),
          refused.getMessage());
    }
  }

  @Test
  void whatOneFunctionGathersAndGivesBackAtTheEndIsNoLeak() throws IterationException {
    assertThrows(IterationException.class, () -> analyse(gathering("encode", true)));
    assertEquals(LeakVerdict.LEAK, analyse(gathering("encode", false)).verdict());
  }

  @Test
  void steadyMemoryIsNone() throws IterationException {
    LeakAnalysis analysis =
        new SyntheticProgram(1).iterate(30, 8 * MIB, 8 * MIB, NOTHING).analyse();
    assertEquals(LeakVerdict.NONE, analysis.verdict());
    assertEquals(0, analysis.floor().slope());
    assertEquals(Optional.empty(), analysis.forecast(1 << 30));
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 7, 10, 13, 19})
  void aBufferThatIsEmptiedIsNoLeak(int capacity) throws IterationException {
    LeakAnalysis analysis =
        new SyntheticProgram(1)
            .iterate(40, 8 * MIB, 8 * MIB, SyntheticProgram.buffer(4 * MIB, capacity))
            .analyse();
    assertFalse(analysis.verdict() == LeakVerdict.LEAK, analysis.toString());
  }

  @Test
  void aCacheThatFillsUpAndIsFullIsAPlateau() throws IterationException {
    LeakAnalysis analysis =
        new SyntheticProgram(1)
            .iterate(
                40,
                8 * MIB,
                8 * MIB,
                (program, i) -> {
                  if (i < 30) {
                    program.allocate(4 * MIB);
                  }
                })
            .analyse();
    assertEquals(LeakVerdict.PLATEAU, analysis.verdict());
    assertTrue(analysis.floor().rises());
    assertTrue(Math.abs(analysis.floor().stopped() - 30) <= 1, analysis.floor().toString());
  }

  @Test
  void reservedMemoryThatGrowsWithLargerBatchesOnlyIsAPlateau() throws IterationException {
    SyntheticProgram program = new SyntheticProgram(1);
    for (int i = 0; i < 30; i++) {
      long bytes = (i < 5 ? 8 : i < 12 ? 12 : i < 20 ? 20 : 32) * MIB;
      program.iterate(1, bytes, bytes, NOTHING);
    }
    LeakAnalysis analysis = program.analyse();
    assertEquals(LeakVerdict.PLATEAU, analysis.verdict());
    assertTrue(analysis.recordsNeedLargerPeaks());
    assertEquals(20, analysis.lastReservedRecord());
  }

  @Test
  void segmentsThatCannotBeReusedAreFragmentation() throws IterationException {
    // Blocks that must not be split serve no request that is smaller by 20 MiB.
    SyntheticProgram program = new SyntheticProgram(1);
    for (int i = 0; i < 20; i++) {
      long bytes = (480 - 22 * i) * MIB;
      program.iterate(1, bytes / 4, bytes / 4, NOTHING);
    }
    AllocationTrace trace = program.build();
    AllocatorConfig unsplit =
        new AllocatorConfig(
            20 * MIB,
            20 * MIB,
            AllocatorConfig.DEFAULT_LARGE_SEGMENT_BYTES,
            0,
            false,
            AllocatorConfig.DEFAULT.roundupDivisions(),
            false,
            1,
            false,
            AllocatorConfig.DEFAULT.reservedRange());
    Iterations iterations = new IterationFinder(trace, 0).any();
    LeakAnalysis analysis = SyntheticProgram.analyse(trace, unsplit, iterations);
    assertEquals(LeakVerdict.FRAGMENTATION, analysis.verdict());
    assertFalse(analysis.floor().grows());
    assertFalse(
        SyntheticProgram.analyse(trace, AllocatorConfig.DEFAULT, iterations).verdict().isHarmful(),
        "with splitting the same requests fit into what is cached");
  }

  @Test
  void emptyingTheCacheNowAndThenIsNoGrowth() throws IterationException {
    LeakAnalysis analysis =
        new SyntheticProgram(3)
            .iterate(
                40,
                2 * MIB,
                30 * MIB,
                (program, i) -> {
                  if (i % 6 == 5) {
                    program.trace.emptyCache();
                  }
                })
            .analyse();
    assertFalse(analysis.verdict().isHarmful(), analysis.toString());
  }

  @Test
  void growthIsAttributedToSizeAndStackAndSumsToTheByte() throws IterationException {
    SyntheticProgram program =
        new SyntheticProgram(1)
            .iterate(
                20,
                4 * MIB,
                9 * MIB,
                (each, i) -> {
                  each.at("log");
                  each.allocate(1000);
                  each.at("remember");
                  each.allocate(3 * MIB);
                  each.at(null);
                });
    LeakAnalysis analysis = program.analyse();
    Growth growth = analysis.growth();
    long floors =
        analysis.series().floorBytes()[19] - analysis.series().floorBytes()[analysis.warmUp()];
    assertEquals(floors, growth.bytes());
    for (List<Growth.Group> groups : List.of(growth.bySize(), growth.byRange(), growth.byStack())) {
      assertEquals(growth.bytes(), groups.stream().mapToLong(Growth.Group::bytes).sum());
    }
    int span = 19 - analysis.warmUp();
    Growth.Group first = growth.bySize().getFirst();
    assertEquals(3 * MIB, first.key());
    assertEquals(span, first.blocks());
    assertEquals(span, first.iterations());
    assertTrue(first.bytes() >= 3 * MIB * span, "blocks can be larger than the request");
    assertEquals(first.bytes(), growth.byStack().getFirst().bytes());
    assertTrue(growth.bySize().contains(new Growth.Group(1000, span, span * 1024L, span)));
  }

  @Test
  void aGpuIsFullWhereTheBusiestMomentReachesItsSize() throws IterationException {
    LeakAnalysis analysis =
        new SyntheticProgram(1)
            .iterate(30, 8 * MIB, 8 * MIB, (program, _) -> program.allocate(4 * MIB))
            .analyse();
    long peak = analysis.series().peakBytes()[29];
    Forecast forecast = analysis.forecast(peak + 400 * MIB).orElseThrow();
    assertEquals(29 + 100, forecast.expected());
    assertEquals(29 + 100, forecast.earliest());
    assertEquals(29 + 100, forecast.latest());
    assertEquals(29, analysis.forecast(MIB).orElseThrow().expected());
  }

  @Test
  void theForecastComesTrue() throws IterationException {
    SyntheticProgram.Extra leak = (program, _) -> program.allocate(4 * MIB);
    LeakAnalysis early = new SyntheticProgram(7).iterate(25, 2 * MIB, 9 * MIB, leak).analyse();
    LeakAnalysis late = new SyntheticProgram(7).iterate(300, 2 * MIB, 9 * MIB, leak).analyse();
    long capacity = 1500 * MIB;
    Forecast forecast = early.forecast(capacity).orElseThrow();
    int full = 0;
    while (late.series().peakBytes()[full] < capacity) {
      full++;
    }
    assertTrue(
        forecast.earliest() <= full + 10 && full <= forecast.latest() + 10,
        full + " is not in " + forecast);
  }

  /**
   * False alarms over 2,000 steady programs with seeds that no threshold was chosen on: 0.7 % in
   * all, and 2.2 % where a cache wanders at random, whose neighbouring iterations are so alike that
   * a short recording can hardly distinguish a walk from a trend. 5 % are permitted.
   */
  @Test
  void steadyProgramsAreSeldomCalledHarmful() throws IterationException {
    int[] leaks = new int[4];
    int[] fragmented = new int[4];
    for (int seed = 20_000; seed < 22_000; seed++) {
      LeakVerdict verdict = steady(seed).analyse().verdict();
      leaks[seed % 4] += verdict == LeakVerdict.LEAK ? 1 : 0;
      fragmented[seed % 4] += verdict == LeakVerdict.FRAGMENTATION ? 1 : 0;
    }
    // Varying batches; a buffer that is emptied; a cache that is emptied; a wandering cache.
    assertEquals(
        "[0, 1, 1, 10], [0, 0, 0, 1]", Arrays.toString(leaks) + ", " + Arrays.toString(fragmented));
  }

  /** Leaks of 1, 2 and 4 MiB an iteration beside a cache that moves by some 2 MiB in each. */
  @Test
  void leaksBesideAWanderingCacheAreFound() throws IterationException {
    int[] found = new int[3];
    for (int seed = 7000; seed < 7300; seed++) {
      long leaked = MIB << (seed % 3);
      SyntheticProgram program = new SyntheticProgram(seed);
      SyntheticProgram.Extra cache = wanderingCache(program);
      LeakVerdict verdict =
          program
              .iterate(
                  40,
                  MIB,
                  9 * MIB,
                  (each, i) -> {
                    cache.run(each, i);
                    each.allocate(leaked);
                  })
              .analyse()
              .verdict();
      found[seed % 3] += verdict == LeakVerdict.LEAK ? 1 : 0;
    }
    assertArrayEquals(new int[] {99, 100, 100}, found);
  }

  private static SyntheticProgram steady(int seed) {
    SyntheticProgram program = new SyntheticProgram(seed);
    int iterations = 8 + program.random.nextInt(60);
    long low = (1 + program.random.nextInt(8)) * MIB;
    long high = low + program.random.nextInt(24) * MIB;
    int capacity = 1 + program.random.nextInt(iterations / 3);
    SyntheticProgram.Extra extra =
        switch (seed % 4) {
          case 0 -> NOTHING;
          case 1 -> SyntheticProgram.buffer(program.random.nextInt(1 << 20) + 1L, capacity);
          case 2 ->
              (each, i) -> {
                if (i % capacity == 0) {
                  each.trace.emptyCache();
                }
              };
          default -> wanderingCache(program);
        };
    return program.iterate(iterations, low, high, extra);
  }

  /** A cache of entries that come and go at random, never more than 40. */
  private static SyntheticProgram.Extra wanderingCache(SyntheticProgram filled) {
    List<Integer> entries = new ArrayList<>();
    for (int entry = 0; entry < 20; entry++) {
      entries.add(filled.allocate(1 + filled.random.nextInt(1 << 20)));
    }
    return (program, _) -> {
      for (int change = 0; change < 6; change++) {
        if (!entries.isEmpty() && program.random.nextInt(40) < entries.size()) {
          int index = program.random.nextInt(entries.size());
          program.trace.free(entries.get(index));
          entries.subList(index, index + 1).clear();
        } else {
          entries.add(program.allocate(1 + program.random.nextInt(1 << 20)));
        }
      }
    };
  }

  private static void assertHolds(Trend trend, double slope) {
    assertTrue(trend.lower() <= slope && slope <= trend.upper(), slope + " is not in " + trend);
  }
}
