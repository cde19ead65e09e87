package org.allocsim.simulator.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.RandomTraces;
import org.allocsim.simulator.run.SharedResult.FirstFailure;
import org.allocsim.simulator.run.SharedResult.Holding;
import org.allocsim.simulator.run.SharedResult.TenantResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SharedRunTest {
  private static final long MIB = 1 << 20;
  private static final long SECOND = 1_000_000_000;

  /** A program whose requests come at given seconds. */
  private static final class Program {
    private final AllocationTrace.Builder trace = new AllocationTrace.Builder();

    Program at(double seconds) {
      trace.at(0, (long) (seconds * SECOND), 0);
      return this;
    }

    int allocate(long mib) {
      return trace.allocate(mib * MIB, 0, PoolId.DEFAULT);
    }

    AllocationTrace build() {
      return trace.build(StackTable.empty());
    }
  }

  private static DeviceProfile card(long mib, long contextMib) {
    return DeviceProfiles.ofCapacity(mib * MIB).withCapacity((mib - contextMib) * MIB);
  }

  private static RunSetup setup(AllocationTrace trace, String policy, DeviceProfile card) {
    return new RunSetup(trace, 0, PolicyChoice.parse(policy), -1, card);
  }

  private static Tenant tenant(
      String name, AllocationTrace trace, String policy, DeviceProfile card, double start) {
    return new Tenant(name, setup(trace, policy, card), (long) (start * SECOND), false);
  }

  private static Tenant exiting(Tenant tenant) {
    return new Tenant(tenant.name(), tenant.setup(), tenant.startNanos(), true);
  }

  /** Holds 60 MiB from second 0, 40 of them until second 4. */
  private static AllocationTrace sixty() {
    Program program = new Program();
    program.at(0).allocate(20);
    int freed = program.at(1).allocate(40);
    program.at(4).trace.free(freed);
    return program.build();
  }

  /** Asks for 30 MiB at second 0, 20 at 3, 20 at 6. */
  private static AllocationTrace seventy() {
    Program program = new Program();
    program.at(0).allocate(30);
    program.at(3).allocate(20);
    program.at(6).allocate(20);
    return program.build();
  }

  private static void assertSame(RunResult expected, RunResult actual) {
    assertEquals(expected.stats(), actual.stats());
    assertEquals(expected.atPeak(), actual.atPeak());
    assertEquals(expected.peakRow(), actual.peakRow());
    assertEquals(expected.lastRow(), actual.lastRow());
    assertEquals(expected.peakDeviceBytes(), actual.peakDeviceBytes());
    assertEquals(expected.events(), actual.events());
    assertEquals(expected.failures(), actual.failures());
    assertEquals(expected.failureCount(), actual.failureCount());
    assertEquals(expected.driverCallsByKind(), actual.driverCallsByKind());
    assertEquals(expected.driverNanosByKind(), actual.driverNanosByKind());
  }

  @Test
  void whatOneHoldsTheOtherCannotHave() {
    DeviceProfile card = card(104, 2);
    SharedResult result =
        SharedRun.of(
            List.of(
                tenant("trainer", sixty(), "direct", card, 0),
                tenant("engine", seventy(), "direct", card, 0)));
    assertFalse(result.passes());
    // At second 3 there are two contexts, 60 and 30 MiB: 10 are left for 20.
    FirstFailure first = result.firstFailure().orElseThrow();
    assertEquals(1, first.tenant());
    assertEquals(1, first.request().requestIndex());
    assertEquals(10 * MIB, first.request().shortage().deviceFreeBytes());
    assertEquals(104 * MIB, first.request().shortage().deviceTotalBytes());
    assertEquals(3 * SECOND, first.moment().nanos());
    assertEquals(
        List.of(
            new Holding(2 * MIB, 60 * MIB, 60 * MIB, 60 * MIB),
            new Holding(2 * MIB, 30 * MIB, 30 * MIB, 30 * MIB)),
        first.moment().holdings());
    assertEquals(94 * MIB, first.moment().bytes());
    // At second 6 the trainer has given 40 back, and the engine gets its 20.
    TenantResult engine = result.tenants().get(1);
    assertEquals(1, engine.run().failureCount());
    assertEquals(52 * MIB, engine.left().bytes());
    assertEquals(52 * MIB, engine.peakBytes());
    assertEquals(6 * SECOND, engine.endNanos());
    assertTrue(result.tenants().getFirst().passes());
    assertEquals(62 * MIB, result.tenants().getFirst().peakBytes());
    assertEquals(0, result.tenants().getFirst().left().cachedBytes());
  }

  @Test
  void thePeakIsThatOfTheSum() {
    DeviceProfile card = card(200, 2);
    SharedResult result =
        SharedRun.of(
            List.of(
                tenant("trainer", sixty(), "direct", card, 0),
                tenant("engine", seventy(), "direct", card, 0)));
    assertTrue(result.passes());
    assertEquals(3 * SECOND, result.peak().nanos());
    assertEquals(114 * MIB, result.peak().bytes());
    assertEquals(200 * MIB, result.totalBytes());
    assertEquals(
        List.of(62 * MIB, 52 * MIB),
        result.peak().holdings().stream().map(Holding::bytes).toList());
  }

  @Test
  void aCacheIsGivenBackForItsOwnerOnly() {
    Program owner = new Program();
    int freed = owner.at(0).allocate(60);
    owner.at(1).trace.free(freed);
    owner.at(5).allocate(80);
    Program other = new Program();
    other.at(2).allocate(50);
    DeviceProfile card = card(104, 2);
    SharedResult result =
        SharedRun.of(
            List.of(
                tenant("owner", owner.build(), "pytorch", card, 0),
                tenant("other", other.build(), "pytorch", card, 2)));
    // The 60 MiB of the owner are cached when the other asks for 50: 40 are free, and it fails.
    FirstFailure first = result.firstFailure().orElseThrow();
    assertEquals(1, first.tenant());
    assertEquals(60 * MIB, first.moment().holdings().getFirst().cachedBytes());
    assertEquals(2 * SECOND, first.moment().nanos());
    // The owner needs 80 and has 40 free: it empties its cache and gets them.
    assertTrue(result.tenants().getFirst().passes());
    assertEquals(1, result.tenants().getFirst().run().stat("num_alloc_retries"));
  }

  @Test
  void anExitGivesEverythingBack() {
    DeviceProfile card = card(104, 2);
    Tenant early = tenant("early", sixty(), "pytorch", card, 0);
    Program late = new Program();
    late.at(0).allocate(90);
    Tenant next = tenant("next", late.build(), "pytorch", card, 5);
    assertFalse(SharedRun.of(List.of(early, next)).passes());
    SharedResult result = SharedRun.of(List.of(exiting(early), next));
    assertTrue(result.passes());
    assertEquals(62 * MIB, result.tenants().getFirst().left().bytes());
    assertEquals(92 * MIB, result.peak().bytes());
    assertEquals(Holding.NONE, result.peak().holdings().getFirst());
  }

  @Test
  void aProcessThatEndsAtAFailedRequestGivesEverythingBack() {
    DeviceProfile card = card(104, 2);
    Tenant trainer = tenant("trainer", sixty(), "direct", card, 0);
    Tenant engine = tenant("engine", seventy(), "direct", card, 0);
    Tenant dies = new Tenant("engine", engine.setup().with(AfterOom.STOP), 0, false);
    SharedResult result = SharedRun.of(List.of(trainer, dies));
    TenantResult dead = result.tenants().get(1);
    assertTrue(dead.stopped());
    assertEquals(1, dead.run().failureCount());
    assertEquals(3 * SECOND, dead.endNanos());
    assertEquals(32 * MIB, dead.left().bytes());
    assertFalse(result.tenants().getFirst().stopped());
  }

  @Test
  void aContextThatDoesNotFitIsTheFirstFailure() {
    DeviceProfile card = card(70, 9);
    SharedResult result =
        SharedRun.of(
            List.of(
                tenant("trainer", sixty(), "direct", card, 0),
                tenant("engine", seventy(), "direct", card, 2)));
    FirstFailure first = result.firstFailure().orElseThrow();
    assertEquals(1, first.tenant());
    assertNull(first.request());
    assertEquals(2 * SECOND, first.moment().nanos());
    TenantResult engine = result.tenants().get(1);
    assertNull(engine.run());
    assertFalse(engine.passes());
    assertEquals(0, engine.peakBytes());
    assertFalse(result.passes());
  }

  @Test
  void aPolicyThatCannotServeATraceSaysSo() {
    DeviceProfile card = card(200, 2);
    SharedResult result =
        SharedRun.of(
            List.of(
                tenant("a", sixty(), "pytorch(conf=nonsense)", card, 0),
                tenant("b", sixty(), "direct", card, 0)));
    RunResult refused = result.tenants().getFirst().run();
    assertFalse(refused.isRun());
    assertFalse(result.passes());
    assertTrue(result.tenants().get(1).passes());
    assertEquals(62 * MIB, result.tenants().get(1).peakBytes());
  }

  @Test
  void whoComesAtTheSameTimeComesInTheOrderOfTheTenants() {
    Program program = new Program();
    program.at(1).allocate(60);
    AllocationTrace trace = program.build();
    DeviceProfile card = card(104, 2);
    SharedResult result =
        SharedRun.of(
            List.of(
                tenant("first", trace, "direct", card, 0),
                tenant("second", trace, "direct", card, 0)));
    assertEquals(1, result.firstFailure().orElseThrow().tenant());
    assertTrue(result.tenants().getFirst().passes());
  }

  @Test
  void tracesWithoutTimesGoOnTogether() {
    AllocationTrace.Builder few = new AllocationTrace.Builder();
    few.allocate(10 * MIB, 0, PoolId.DEFAULT);
    few.free(0);
    AllocationTrace.Builder many = new AllocationTrace.Builder();
    for (int i = 0; i < 8; i++) {
      many.allocate(2 * MIB, 0, PoolId.DEFAULT);
    }
    DeviceProfile card = card(100, 0);
    List<String> order = new ArrayList<>();
    SharedRun.of(
        List.of(
            tenant("few", RandomTraces.build(few), "direct", card, 0),
            tenant("many", RandomTraces.build(many), "direct", card, 0)),
        (nanos, tenant, bytes) -> order.add(nanos + " " + tenant + " " + bytes / MIB));
    assertEquals(
        List.of(
            "0 0 10", "0 1 2", "1 1 4", "2 1 6", "3 1 8", "4 0 0", "4 1 10", "5 1 12", "6 1 14",
            "7 1 16"),
        order);
  }

  @Test
  void aTraceWithoutTimesTakesAsLongAsTheLongestOther() {
    AllocationTrace.Builder untimed = new AllocationTrace.Builder();
    untimed.allocate(10 * MIB, 0, PoolId.DEFAULT);
    untimed.allocate(20 * MIB, 0, PoolId.DEFAULT);
    DeviceProfile card = card(100, 0);
    List<Long> times = new ArrayList<>();
    SharedRun.of(
        List.of(
            tenant("timed", seventy(), "direct", card, 0),
            tenant("untimed", RandomTraces.build(untimed), "direct", card, 0)),
        (nanos, tenant, _) -> {
          if (tenant == 1) {
            times.add(nanos);
          }
        });
    assertEquals(List.of(0L, 3 * SECOND), times);
  }

  @Test
  void theProloguesRequestsComeAtTheStart() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.at(0, 0, 0);
    trace.allocate(10 * MIB, 0, PoolId.DEFAULT);
    trace.endPrologue();
    trace.at(0, 1_700 * SECOND, 0);
    trace.allocate(20 * MIB, 0, PoolId.DEFAULT);
    trace.at(0, 1_701 * SECOND, 0);
    trace.allocate(30 * MIB, 0, PoolId.DEFAULT);
    List<Long> times = new ArrayList<>();
    SharedRun.of(
        List.of(tenant("late", RandomTraces.build(trace), "direct", card(100, 0), 5)),
        (nanos, _, _) -> times.add(nanos));
    assertEquals(List.of(5 * SECOND, 5 * SECOND, 6 * SECOND), times);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "direct",
        "pytorch",
        "pytorch(conf=expandable_segments:True)",
        "cuda-async",
        "rmm-pool",
        "bfc",
        "gmlake"
      })
  void oneTenantAloneIsAnOrdinaryRun(String policy) {
    // Too small for the program, so that caches are given back and requests fail.
    DeviceProfile card = DeviceProfiles.ofCapacity(1_500 * MIB).withCapacity(1_100 * MIB);
    for (int seed = 0; seed < 3; seed++) {
      AllocationTrace trace = RandomTraces.of(seed, 2_000, 3);
      RunResult alone = Run.of(setup(trace, policy, card));
      SharedResult shared = SharedRun.of(List.of(tenant("alone", trace, policy, card, 7)));
      assertSame(alone, shared.tenants().getFirst().run());
      assertEquals(alone.firstFailure(), shared.firstFailure().map(FirstFailure::request));
      assertEquals(400 * MIB + alone.peakDeviceBytes(), shared.peak().bytes());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pytorch", "pytorch(conf=expandable_segments:True)", "cuda-async"})
  void tenantsThatDoNotMeetAreOrdinaryRuns(String policy) {
    AllocationTrace one = RandomTraces.of(1, 2_000, 2);
    AllocationTrace two = RandomTraces.of(2, 2_000, 2);
    DeviceProfile small = DeviceProfiles.ofCapacity(1_500 * MIB).withCapacity(1_100 * MIB);
    // One after the other on a card that is short for each.
    SharedResult turns =
        SharedRun.of(
            List.of(
                exiting(tenant("one", one, policy, small, 0)),
                tenant("two", two, policy, small, 1)));
    assertSame(Run.of(setup(one, policy, small)), turns.tenants().getFirst().run());
    assertSame(Run.of(setup(two, policy, small)), turns.tenants().get(1).run());
    // Side by side on a card of twice the memory that each needs.
    DeviceProfile ample = DeviceProfiles.ofCapacity(16_000 * MIB);
    RunResult first = Run.of(setup(one, policy, ample));
    RunResult second = Run.of(setup(two, policy, ample));
    long enough = 2 * Math.max(first.peakDeviceBytes(), second.peakDeviceBytes());
    DeviceProfile both = DeviceProfiles.ofCapacity(enough);
    SharedResult beside =
        SharedRun.of(
            List.of(tenant("one", one, policy, both, 0), tenant("two", two, policy, both, 0)));
    assertTrue(beside.passes());
    assertEquals(first.stats(), beside.tenants().getFirst().run().stats());
    assertEquals(second.stats(), beside.tenants().get(1).run().stats());
    assertEquals(second.driverCallsByKind(), beside.tenants().get(1).run().driverCallsByKind());
  }

  @Test
  void theOrderOfTenantsDoesNotMatterWhereTimesDiffer() {
    DeviceProfile card = DeviceProfiles.ofCapacity(3_000 * MIB).withCapacity(2_900 * MIB);
    List<Tenant> tenants =
        List.of(
            tenant("a", RandomTraces.of(1, 2_000, 2), "pytorch", card, 0),
            tenant("b", RandomTraces.of(2, 2_000, 2), "cuda-async", card, 1e-7),
            tenant("c", RandomTraces.of(3, 2_000, 2), "bfc", card, 2e-7));
    SharedResult given = SharedRun.of(tenants);
    SharedResult turned = SharedRun.of(tenants.reversed());
    assertFalse(given.passes());
    for (int i = 0; i < 3; i++) {
      assertSame(given.tenants().get(i).run(), turned.tenants().get(2 - i).run());
    }
    assertEquals(
        tenants.get(given.firstFailure().orElseThrow().tenant()),
        tenants.reversed().get(turned.firstFailure().orElseThrow().tenant()));
    assertEquals(given.peak().nanos(), turned.peak().nanos());
    assertEquals(given.peak().holdings(), turned.peak().holdings().reversed());
  }

  /** A request of the naive model. */
  private record Step(long nanos, int tenant, int allocation, long bytes) {}

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8})
  void randomTenantsAreAsTheNaiveModelHasThem(int count) {
    SplittableRandom random = new SplittableRandom(count);
    for (int round = 0; round < 20; round++) {
      long totalMib = random.nextInt(100, 300) * 2L;
      List<Tenant> tenants = new ArrayList<>();
      List<Step> steps = new ArrayList<>();
      long[] contexts = new long[count];
      for (int number = 0; number < count; number++) {
        contexts[number] = random.nextInt(1, 8) * (2 * MIB);
        long start = random.nextInt(200);
        AllocationTrace trace = randomTrace(random, number, start, steps);
        DeviceProfile card =
            DeviceProfiles.ofCapacity(totalMib * MIB)
                .withCapacity(totalMib * MIB - contexts[number]);
        tenants.add(
            new Tenant(
                "t" + number,
                setup(trace, "direct", card).keepingFailures(100),
                start,
                random.nextBoolean()));
      }
      steps.sort(Comparator.comparingLong(Step::nanos).thenComparingInt(Step::tenant));
      assertEquals(
          naive(tenants, steps, contexts, totalMib * MIB), simulated(tenants), "round " + round);
    }
  }

  private static AllocationTrace randomTrace(
      SplittableRandom random, int number, long start, List<Step> steps) {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    List<Integer> live = new ArrayList<>();
    long nanos = 1_000;
    for (int i = 0; i < 100; i++) {
      trace.at(0, nanos, 0);
      if (!live.isEmpty() && random.nextInt(100) < 45) {
        int place = random.nextInt(live.size());
        int freed = live.get(place);
        live.subList(place, place + 1).clear();
        trace.free(freed);
        steps.add(new Step(start + nanos - 1_000, number, freed, -1));
      } else {
        long bytes = random.nextInt(1, 20) * (2 * MIB);
        int allocation = trace.allocate(bytes, 0, PoolId.DEFAULT);
        live.add(allocation);
        steps.add(new Step(start + nanos - 1_000, number, allocation, bytes));
      }
      nanos += 1 + random.nextInt(4);
    }
    return RandomTraces.build(trace);
  }

  /** Free bytes are what the card has, less all contexts and all blocks: nothing else. */
  private static List<String> naive(
      List<Tenant> tenants, List<Step> steps, long[] contexts, long totalBytes) {
    List<String> said = new ArrayList<>();
    Map<Integer, Map<Integer, Long>> held = new HashMap<>();
    long[] remaining = new long[tenants.size()];
    steps.forEach(step -> remaining[step.tenant]++);
    boolean[] lives = new boolean[tenants.size()];
    List<Integer> starting = new ArrayList<>();
    for (int tenant = 0; tenant < tenants.size(); tenant++) {
      starting.add(tenant);
    }
    starting.sort(Comparator.comparingLong(tenant -> tenants.get(tenant).startNanos()));
    for (Step step : steps) {
      while (!starting.isEmpty() && tenants.get(starting.getFirst()).startNanos() <= step.nanos) {
        int starter = starting.removeFirst();
        if (contexts[starter] > free(contexts, lives, held, totalBytes)) {
          said.add("no context " + starter);
        } else {
          lives[starter] = true;
          held.put(starter, new HashMap<>());
        }
      }
      int tenant = step.tenant;
      if (!lives[tenant]) {
        continue;
      }
      long free = free(contexts, lives, held, totalBytes);
      if (step.bytes < 0) {
        held.get(tenant).remove(step.allocation);
      } else if (step.bytes > free) {
        said.add("failed " + tenant + " " + step.allocation + " free " + free);
      } else {
        held.get(tenant).put(step.allocation, step.bytes);
      }
      if (--remaining[tenant] == 0 && tenants.get(tenant).exits()) {
        held.get(tenant).clear();
        lives[tenant] = false;
      }
    }
    said.sort(null);
    return said;
  }

  private static long free(
      long[] contexts, boolean[] lives, Map<Integer, Map<Integer, Long>> held, long totalBytes) {
    long free = totalBytes;
    for (int each = 0; each < contexts.length; each++) {
      free -= lives[each] ? contexts[each] : 0;
      free -= held.getOrDefault(each, Map.of()).values().stream().mapToLong(b -> b).sum();
    }
    return free;
  }

  private static List<String> simulated(List<Tenant> tenants) {
    long[] held = new long[tenants.size()];
    SharedResult result =
        SharedRun.of(
            tenants,
            (_, tenant, bytes) -> {
              held[tenant] = bytes;
              long totalBytes = tenants.getFirst().device().profile().totalBytes();
              assertTrue(Arrays.stream(held).sum() <= totalBytes);
            });
    List<String> said = new ArrayList<>();
    for (int tenant = 0; tenant < tenants.size(); tenant++) {
      RunResult run = result.tenants().get(tenant).run();
      if (run == null) {
        said.add("no context " + tenant);
        continue;
      }
      for (FailedRequest failed : run.failures()) {
        said.add(
            "failed "
                + tenant
                + " "
                + failed.allocation()
                + " free "
                + failed.shortage().deviceFreeBytes());
      }
    }
    said.sort(null);
    return said;
  }

  @Test
  void tenantsOfDifferentCardsAreRefused() {
    List<Tenant> tenants =
        List.of(
            tenant("a", sixty(), "direct", card(100, 0), 0),
            tenant("b", sixty(), "direct", card(102, 0), 0));
    assertThrows(IllegalArgumentException.class, () -> SharedRun.of(tenants));
    RunSetup repeated = setup(sixty(), "direct", card(100, 0)).repeated(2);
    assertThrows(IllegalArgumentException.class, () -> new Tenant("a", repeated, 0, false));
    RunSetup shared = tenants.getFirst().setup();
    RunSetup given = shared.with(new MemorySource.Given(new SimulatedDevice(card(100, 0))));
    assertThrows(IllegalArgumentException.class, () -> new Tenant("a", given, 0, false));
  }
}
