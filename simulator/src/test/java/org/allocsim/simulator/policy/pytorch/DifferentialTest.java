package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.pytorch.RandomRequests.Profile;
import org.allocsim.simulator.policy.pytorch.RandomRequests.Request;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.trace.RequestKind;
import org.junit.jupiter.api.Test;

/**
 * The caching allocator does what the naive model does: the same effects in the same order, the
 * same answers, the same layouts, for random requests under random settings.
 *
 * <p>{@code -Dallocsim.differential.operations=10000000} runs that many requests, {@code
 * -Dallocsim.differential.seed=N} begins with another sequence.
 */
class DifferentialTest {
  private static final long MIB = 1L << 20;
  private static final long OPERATIONS =
      Long.getLong("allocsim.differential.operations", 2_000_000);
  private static final long FIRST_SEED = Long.getLong("allocsim.differential.seed", 0);
  private static final int OPERATIONS_PER_SEQUENCE = 4_000;
  private static final int OPERATIONS_PER_LAYOUT = 16;

  /** Everything that one sequence is run with. */
  private record Settings(
      long seed,
      AllocatorConfig config,
      long limitBytes,
      long capacityBytes,
      Profile profile,
      int streams,
      boolean privatePools) {

    /** Every seed stands for one combination; consecutive seeds go through all configurations. */
    static Settings of(long seed) {
      SplittableRandom random = new SplittableRandom(seed);
      Profile profile = Profile.values()[random.nextInt(Profile.values().length)];
      long scale = profile == Profile.SMALL ? 2 * MIB : 64 * MIB;
      long capacity = scale * (4L << random.nextInt(9)) + 512L * random.nextInt(8192);
      List<AllocatorConfig> configs = configs();
      AllocatorConfig config = configs.get((int) Math.floorMod(seed, (long) configs.size()));
      boolean limited = config.garbageCollectionThreshold() > 0 || random.nextInt(3) == 0;
      long limit = limited ? capacity / 8 * (2 + random.nextInt(7)) : -1;
      if (limited && random.nextBoolean()) {
        limit -= limit % (2 * MIB);
      }
      int streams = 1 + random.nextInt(4);
      return new Settings(seed, config, limit, capacity, profile, streams, random.nextInt(3) == 0);
    }

    /** Most pools have no special rules. */
    PrivatePoolOptions poolOptions(int pool) {
      SplittableRandom random = new SplittableRandom(seed * 64 + pool);
      return new PrivatePoolOptions(
          random.nextInt(3) == 0, random.nextInt(6) == 0, random.nextInt(4) == 0);
    }

    /** Expandable segments grow by whole pages and may so pass the limit. */
    long maxReservedBytes() {
      if (limitBytes < 0) {
        return capacityBytes;
      }
      long page = config.expandableSegments() ? config.largeSegmentBytes() : 1;
      return Math.min(capacityBytes, limitBytes + page - 1);
    }
  }

  private static List<AllocatorConfig> configs() {
    AllocatorConfig plain = AllocatorConfig.DEFAULT;
    List<AllocatorConfig> list = new ArrayList<>();
    for (boolean expandable : new boolean[] {false, true}) {
      for (long maxSplit : new long[] {AllocatorConfig.UNLIMITED, 20 * MIB, 64 * MIB}) {
        for (double collectAbove : new double[] {0, 0.6}) {
          list.add(config(maxSplit, 20 * MIB, 20 * MIB, collectAbove, expandable, 0));
        }
      }
      list.add(config(plain.maxSplitBytes(), 20 * MIB, 20 * MIB, 0, expandable, 4));
      list.add(config(32 * MIB, 64 * MIB, 20 * MIB, 0, expandable, 8));
      list.add(config(plain.maxSplitBytes(), 64 * MIB, 64 * MIB, 0.8, expandable, 0));
      list.add(config(128 * MIB, 40 * MIB, 12 * MIB, 0.3, expandable, 2));
    }
    return list;
  }

  private static AllocatorConfig config(
      long maxSplitBytes,
      long nonSplitRoundingBytes,
      long largeSegmentBytes,
      double collectAbove,
      boolean expandable,
      long divisions) {
    long[] slots = new long[RoundupDivisions.SLOTS];
    for (int slot = 0; slot < slots.length; slot++) {
      slots[slot] = slot % 5 == 4 ? 0 : divisions;
    }
    return new AllocatorConfig(
        maxSplitBytes,
        nonSplitRoundingBytes,
        largeSegmentBytes,
        collectAbove,
        expandable,
        RoundupDivisions.of(slots),
        false,
        1.0,
        false,
        ReservedRange.UNSET);
  }

  @Test
  void randomRequestsHaveTheSameEffectsAnswersAndLayouts() {
    long sequences = (OPERATIONS + OPERATIONS_PER_SEQUENCE - 1) / OPERATIONS_PER_SEQUENCE;
    long failures = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + sequences; seed++) {
      failures += compare(Settings.of(seed));
    }
    assertTrue(failures > 0, "no request ever failed: the limits are too wide to test much");
  }

  /** Returns the number of requests that failed. */
  private static long compare(Settings settings) {
    EffectTape effects = new EffectTape();
    EffectTape expected = new EffectTape();
    SimulatedDevice device = device(settings);
    SimulatedDevice naiveDevice = device(settings);
    InvariantChecker checker = new InvariantChecker(settings.maxReservedBytes());
    CachingAllocator allocator =
        new CachingAllocator(
            settings.config(),
            PyTorchVersion.V2_11,
            settings.limitBytes(),
            device,
            EffectListeners.both(effects, checker));
    // One to which nobody but the statistics listens, which serves most requests by a short way.
    MemoryStats stats = new MemoryStats(settings.config().maxSplitBytes());
    MemoryStats expectedStats = new MemoryStats(settings.config().maxSplitBytes());
    CachingAllocator quiet =
        new CachingAllocator(
            settings.config(),
            PyTorchVersion.V2_11,
            settings.limitBytes(),
            device(settings),
            stats);
    NaiveCachingAllocator naive =
        new NaiveCachingAllocator(
            settings.config(),
            settings.limitBytes(),
            naiveDevice,
            EffectListeners.both(expectedStats, expected));
    for (int pool = 1; pool <= 64; pool++) {
      PrivatePoolOptions options = settings.poolOptions(pool);
      allocator.definePool(pool, options);
      quiet.definePool(pool, options);
      naive.definePool(pool, options);
    }
    RandomRequests requests =
        new RandomRequests(
            settings.seed(), settings.profile(), settings.streams(), settings.privatePools());
    long failures = 0;
    for (int i = 0; i < OPERATIONS_PER_SEQUENCE; i++) {
      Request request = requests.next();
      long address = send(request, naive, expected);
      send(request, allocator, effects);
      assertEquals(
          address, request.sendTo(quiet), () -> "address for " + request + " of " + settings);
      if (i % OPERATIONS_PER_LAYOUT == 0) {
        naive.describeLayout(expected);
        allocator.describeLayout(effects);
        checker.check(allocator);
        checkQuiet(quiet, naive, stats, expectedStats, settings);
      }
      if (!effects.sameAs(expected)) {
        fail(
            "operation %d, %s%nof %s%nexpected%s%nbut was%s"
                .formatted(i, request, settings, expected, effects));
      }
      effects.clear();
      expected.clear();
      if (request.kind() == RequestKind.ALLOCATE && address == AllocatorPolicy.OUT_OF_MEMORY) {
        requests.failed(request);
        failures++;
      }
    }
    assertEquals(naiveDevice.freeBytes(), device.freeBytes());
    for (DriverCall call : DriverCall.values()) {
      assertEquals(
          naiveDevice.driverCalls(call), device.driverCalls(call), () -> call + " " + settings);
    }
    return failures;
  }

  private static void checkQuiet(
      CachingAllocator quiet,
      NaiveCachingAllocator naive,
      MemoryStats stats,
      MemoryStats expectedStats,
      Settings settings) {
    EffectTape layout = new EffectTape();
    EffectTape expected = new EffectTape();
    quiet.describeLayout(layout);
    naive.describeLayout(expected);
    assertTrue(
        layout.sameAs(expected),
        () -> "layout of %s%nexpected%s%nbut was%s".formatted(settings, expected, layout));
    assertEquals(expectedStats.toMap(), stats.toMap(), () -> "statistics of " + settings);
  }

  private static long send(Request request, AllocatorPolicy policy, EffectTape tape) {
    long address = request.sendTo(policy);
    tape.answer(address);
    return address;
  }

  private static SimulatedDevice device(Settings settings) {
    return new SimulatedDevice(DeviceProfiles.ofCapacity(settings.capacityBytes()));
  }
}
