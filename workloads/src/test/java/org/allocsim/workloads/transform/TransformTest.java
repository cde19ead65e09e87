package org.allocsim.workloads.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.PoolOptions;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.TraceVariant;
import org.allocsim.workloads.transform.Perturbation.Resize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransformTest {
  private static final PoolId POOL = new PoolId(0, 1);

  /** A trace with rows of every kind, on two devices, with a prologue. */
  static AllocationTrace everything(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    List<List<Integer>> live = List.of(new ArrayList<>(), new ArrayList<>());
    int prologue = random.nextInt(5);
    for (int row = 0; row < 300; row++) {
      if (row == prologue) {
        trace.endPrologue();
      }
      int device = random.nextInt(2);
      List<Integer> mine = live.get(device);
      trace.at(device, row * 10L, random.nextInt(3));
      int choice = row < prologue ? 0 : random.nextInt(14);
      if (choice > 5 && choice < 9 && !mine.isEmpty()) {
        int index = random.nextInt(mine.size());
        trace.free(mine.get(index));
        mine.subList(index, index + 1).clear();
      } else if (choice == 9 && !mine.isEmpty()) {
        trace.useStream(mine.getLast(), 7, row);
        trace.useComplete(mine.getLast(), 7);
      } else if (choice == 10 && !mine.isEmpty()) {
        trace.useUnknownStream(mine.getLast(), row);
        trace.useComplete(mine.getLast());
      } else if (choice == 11) {
        trace.markerBegin("phase" + random.nextInt(2));
        trace.markerEnd("phase0");
        trace.synchronize();
        trace.snapshot();
      } else if (choice == 12) {
        trace.emptyCache();
        trace.releasePool(POOL);
        trace.emptyPool(POOL);
      } else if (choice == 13 && !mine.isEmpty()) {
        mine.add(trace.restoreBlock(512, 0, POOL, mine.getFirst(), row));
      } else {
        PoolId pool = random.nextInt(4) == 0 ? POOL : PoolId.DEFAULT;
        mine.add(trace.allocate(1 + random.nextInt(50), random.nextInt(2) * 5L, pool));
      }
    }
    return trace.build(StackTable.empty());
  }

  private static String row(AllocationTrace trace, int event) {
    RequestKind kind = trace.kind(event);
    boolean placed = kind == RequestKind.RESTORE_BLOCK;
    return kind
        + " "
        + List.of(
            trace.device(event),
            stream(trace, event),
            trace.pool(event),
            trace.allocation(event),
            trace.bytes(event),
            trace.timeNanos(event),
            trace.stack(event),
            placed ? trace.anchor(event) : 0,
            placed ? trace.anchorOffsetBytes(event) : 0);
  }

  /** Only these rows concern a stream. */
  private static int stream(AllocationTrace trace, int event) {
    return switch (trace.kind(event)) {
      case ALLOCATE, RESTORE_BLOCK, USE_STREAM, USE_COMPLETE -> trace.stream(event);
      default -> 0;
    };
  }

  static List<String> rows(AllocationTrace trace) {
    List<String> rows = new ArrayList<>();
    for (int event = 0; event < trace.eventCount(); event++) {
      rows.add(row(trace, event));
    }
    return rows;
  }

  @Test
  void aTraceWithoutChangesStaysTheSame() {
    for (int seed = 0; seed < 50; seed++) {
      AllocationTrace trace = everything(seed);
      for (AllocationTrace copy :
          List.of(
              CacheClearing.before(trace, 0, new int[0]),
              new Perturbation(false, 0, Resize.SIZE).apply(trace, 0, seed))) {
        assertEquals(rows(trace), rows(copy));
        assertEquals(trace.prologueCount(), copy.prologueCount());
        assertEquals(trace.allocationCount(), copy.allocationCount());
        assertEquals(trace.streamCount(), copy.streamCount());
        assertEquals(trace.poolCount(), copy.poolCount());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCopyRunsOnWhatItsSourceRunsOn(boolean ofPyTorch) {
    AllocationTrace trace =
        new AllocationTrace.Builder().ofPyTorch(ofPyTorch).build(StackTable.empty());
    assertEquals(ofPyTorch, CacheClearing.before(trace, 0, new int[0]).isOfPyTorch());
    assertEquals(ofPyTorch, RankMerge.of(List.of(trace, trace)).isOfPyTorch());
  }

  @Test
  void aCopyHasThePoolsOfItsSource() {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    builder.declarePool(new PoolId(0, 7), new PoolOptions(true, true));
    AllocationTrace trace = builder.build(StackTable.empty());
    assertEquals(
        new PoolOptions(true, true), CacheClearing.before(trace, 0, new int[0]).poolOptions(1));
    assertEquals(new PoolOptions(true, true), RankMerge.of(List.of(trace, trace)).poolOptions(1));
  }

  @Test
  void insertedRowsStandBeforeTheirRowsAndNothingElseChanges() {
    AllocationTrace trace = everything(1);
    int first = trace.prologueCount();
    int[] at = {first, first, 100, trace.eventCount()};
    AllocationTrace copy = CacheClearing.before(trace, 1, at);
    List<String> expected = rows(trace);
    List<String> actual = new ArrayList<>(rows(copy));
    int[] places = {first, first + 1, 102, copy.eventCount() - 1};
    for (int i = places.length - 1; i >= 0; i--) {
      assertEquals(RequestKind.EMPTY_CACHE, copy.kind(places[i]));
      assertEquals(1, copy.device(places[i]));
      actual.subList(places[i], places[i] + 1).clear();
    }
    assertEquals(expected, actual);
    assertEquals(trace.prologueCount(), copy.prologueCount());
  }

  @Test
  void rowsOutsideOfTheTraceAreRefused() {
    AllocationTrace trace = everything(4);
    assertThrows(
        IllegalArgumentException.class,
        () -> CacheClearing.before(trace, 0, new int[] {trace.eventCount() + 1}));
    assertThrows(
        IllegalArgumentException.class, () -> CacheClearing.before(trace, 0, new int[] {200, 100}));
  }

  @Test
  void theSameSeedMakesTheSameChangesAndAnotherSeedOthers() {
    Perturbation perturbation = new Perturbation(true, 0.2, Resize.REQUEST);
    AllocationTrace trace = everything(2);
    assertEquals(rows(perturbation.apply(trace, 0, 9)), rows(perturbation.apply(trace, 0, 9)));
    assertNotEquals(rows(perturbation.apply(trace, 0, 9)), rows(perturbation.apply(trace, 0, 10)));
  }

  @Test
  void onlyNeighbouringRequestsOfTheDeviceChangePlaces() {
    for (int seed = 0; seed < 50; seed++) {
      AllocationTrace trace = everything(seed);
      AllocationTrace swapped = new Perturbation(true, 0, Resize.SIZE).apply(trace, 0, seed);
      assertEquals(trace.eventCount(), swapped.eventCount());
      List<Integer> mine = eventsOf(trace, 0);
      List<Integer> theirs = eventsOf(swapped, 0);
      int swaps = 0;
      int i = 0;
      while (i < mine.size()) {
        int event = mine.get(i);
        assertEquals(trace.kind(event), swapped.kind(theirs.get(i)));
        assertEquals(trace.timeNanos(event), swapped.timeNanos(theirs.get(i)));
        if (request(trace, event).equals(request(swapped, theirs.get(i)))) {
          i++;
          continue;
        }
        int next = mine.get(i + 1);
        assertEquals(RequestKind.ALLOCATE, trace.kind(event));
        assertEquals(RequestKind.ALLOCATE, trace.kind(next));
        assertTrue(event >= trace.prologueCount());
        assertEquals(request(trace, event), request(swapped, theirs.get(i + 1)));
        assertEquals(request(trace, next), request(swapped, theirs.get(i)));
        swaps++;
        i += 2;
      }
      assertTrue(swaps > 5, "half of the neighbours should have changed places");
      assertEquals(
          eventsOf(trace, 1).stream().map(event -> request(trace, event)).toList(),
          eventsOf(swapped, 1).stream().map(event -> request(swapped, event)).toList());
    }
  }

  @Test
  void aVariantIsTheTraceThatIsMadeRowByRow() {
    int exchanges = 0;
    for (int seed = 0; seed < 200; seed++) {
      AllocationTrace trace = everything(seed);
      SplittableRandom random = new SplittableRandom(seed);
      TraceVariant variant = new TraceVariant(trace);
      long[] sizes = new long[trace.eventCount()];
      int[] sources = new int[trace.eventCount()];
      for (int event = 0; event < sizes.length; event++) {
        sizes[event] = trace.bytes(event);
        sources[event] = event;
        if (trace.kind(event) == RequestKind.ALLOCATE && random.nextBoolean()) {
          sizes[event] = random.nextInt(1000);
          variant.resize(event, sizes[event]);
        }
      }
      for (int event = trace.prologueCount(); event < sizes.length; event++) {
        int next = nextOfDevice(trace, event);
        if (sources[event] == event
            && next > 0
            && trace.kind(event) == RequestKind.ALLOCATE
            && trace.kind(next) == RequestKind.ALLOCATE
            && random.nextBoolean()) {
          sources[event] = next;
          sources[next] = event;
          variant.exchange(event, next);
          exchanges++;
        }
      }
      TraceCopy copy = new TraceCopy(trace);
      for (int event = 0; event < sizes.length; event++) {
        copy.row(sources[event], sizes[sources[event]], trace.timeNanos(event));
      }
      List<String> before = rows(trace);
      AllocationTrace built = variant.build();
      assertEquals(rows(copy.build()), rows(built));
      assertEquals(before, rows(trace), "the source stays as it is");
      for (int id = 0; id < trace.allocationCount(); id++) {
        assertEquals(isAnchor(built, id), built.isAnchor(id));
      }
    }
    assertTrue(exchanges > 1000, exchanges + " exchanges");
  }

  /** The device's next row, or −1. */
  private static int nextOfDevice(AllocationTrace trace, int event) {
    for (int next = event + 1; next < trace.eventCount(); next++) {
      if (trace.device(next) == trace.device(event)) {
        return next;
      }
    }
    return -1;
  }

  private static boolean isAnchor(AllocationTrace trace, int allocation) {
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.kind(event) == RequestKind.RESTORE_BLOCK && trace.anchor(event) == allocation) {
        return true;
      }
    }
    return false;
  }

  /** Devices, streams, pools, sizes and stacks, but not ids, which are numbered by place. */
  static List<Object> request(AllocationTrace trace, int event) {
    return List.of(
        trace.kind(event),
        trace.device(event),
        stream(trace, event),
        trace.pool(event),
        trace.bytes(event),
        trace.stack(event));
  }

  private static List<Integer> eventsOf(AllocationTrace trace, int device) {
    List<Integer> events = new ArrayList<>();
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) == device) {
        events.add(event);
      }
    }
    return events;
  }

  @Test
  void sizesStayWithinTheShareAndEqualSizesStayEqual() {
    AllocationTrace trace = large();
    AllocationTrace resized = new Perturbation(false, 0.02, Resize.SIZE).apply(trace, 0, 3);
    Map<Long, Long> sizes = new HashMap<>();
    int changed = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      long before = trace.bytes(event);
      long after = resized.bytes(event);
      assertTrue(Math.abs(after - before) <= 0.02 * before + 0.5);
      assertEquals(after, sizes.computeIfAbsent(before, _ -> after));
      changed += before == after ? 0 : 1;
    }
    assertTrue(changed > 900);
  }

  @Test
  void everyRequestMayHaveAFactorOfItsOwn() {
    AllocationTrace trace = large();
    AllocationTrace resized = new Perturbation(false, 0.5, Resize.REQUEST).apply(trace, 0, 3);
    Set<Long> sizes = new HashSet<>();
    double sum = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      sizes.add(resized.bytes(event));
      double share = (double) resized.bytes(event) / trace.bytes(event);
      assertTrue(share > 0.499 && share < 1.501);
      sum += share / trace.eventCount();
    }
    assertTrue(sizes.size() > 990);
    assertEquals(1, sum, 0.05, "factors are centred on 1");
  }

  @Test
  void sizesThatReachNoAllocatorAreLeftAlone() {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    builder.allocate(0, 0, PoolId.DEFAULT);
    builder.allocate(1L << 60, 0, PoolId.DEFAULT);
    builder.allocate(1, 0, PoolId.DEFAULT);
    AllocationTrace trace = builder.build(StackTable.empty());
    AllocationTrace resized = new Perturbation(false, 0.9, Resize.REQUEST).apply(trace, 0, 5);
    assertEquals(0, resized.bytes(0));
    assertEquals(1L << 60, resized.bytes(1));
    assertTrue(resized.bytes(2) >= 1);
    assertThrows(IllegalArgumentException.class, () -> new Perturbation(true, 1, Resize.SIZE));
    assertThrows(
        IllegalArgumentException.class, () -> new Perturbation(true, Double.NaN, Resize.SIZE));
  }

  private static AllocationTrace large() {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    for (int i = 0; i < 1000; i++) {
      builder.allocate((1 + i % 50) * 1_000_003L, 0, PoolId.DEFAULT);
    }
    return builder.build(StackTable.empty());
  }
}
