package org.allocsim.simulator.policy.gmlake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.trace.AllocationTrace;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random requests against the rules written out unit by unit: the same answers, the same effects in
 * the same order, the same memory in use, the same calls of the driver.
 */
class GmLakeDifferentialTest {
  private static final long CHUNK = 2L << 20;
  private static final int STEPS = 1500;

  private final List<Integer> given = new ArrayList<>();
  private final List<Integer> freed = new ArrayList<>();
  private SplittableRandom random = new SplittableRandom(0);
  private int streams;

  /**
   * @param seed of the random requests
   * @param streams number of streams
   * @param fragLimit smallest request that is stitched, in chunks
   * @param reuse how many times the request a stitched block may be
   * @param level first attempt to stitch
   * @param autoGc chunks stitched from which stitched blocks are collected
   * @param how {@code stitch}, {@code realloc} or {@code plain}
   * @param capacity chunks of the device
   * @param limit chunks that the allocator may hold, −1 for no limit
   * @param addresses chunks of addresses that the device gives
   */
  @ParameterizedTest
  @CsvSource({
    "1, 1, 10, 1e9, 0, 1000000, stitch, 100000, -1, 100000",
    "2, 3, 10, 1.5, 0, 1000000, stitch, 100000, -1, 100000",
    "3, 1, 2, 1e9, 0, 1000000, stitch, 250, -1, 100000",
    "4, 9, 2, 3, 0, 1000000, stitch, 800, -1, 100000",
    "5, 1, 10, 4, 0, 300, stitch, 400, -1, 100000",
    "6, 2, 2, 1e9, 1, 1000000, stitch, 300, -1, 100000",
    "7, 1, 20, 10, 2, 1000000, stitch, 250, -1, 100000",
    "8, 2, 2, 1e9, 3, 500, stitch, 500, 400, 100000",
    "9, 2, 2, 1e9, 0, 1000000, realloc, 400, -1, 100000",
    "10, 1, 10, 1e9, 1, 1000000, realloc, 300, 250, 100000",
    "11, 1, 2, 1e9, 4, 1000000, realloc, 300, -1, 100000",
    "12, 2, 2, 1e9, 0, 1000000, plain, 400, -1, 0",
    "13, 2, 2, 1e9, 0, 1000000, stitch, 100000, -1, 900",
    "14, 2, 2, 1.2, 0, 1000000, stitch, 100000, -1, 700",
    "15, 3, 2, 1e9, 0, 1000000, stitch, 500, -1, 900",
    "16, 5, 2, 2, 1, 1000000, realloc, 100000, -1, 800",
  })
  void everyRequestIsServedAsTheRulesSay(
      int seed,
      int streams,
      int fragLimit,
      double reuse,
      int level,
      int autoGc,
      String how,
      int capacity,
      int limit,
      int addresses) {
    GmLakeSettings settings =
        new GmLakeSettings(
            !how.equals("plain"),
            fragLimit * CHUNK,
            reuse,
            level,
            autoGc * CHUNK,
            how.equals("realloc"));
    GivenAddresses device =
        new GivenAddresses(
            new SimulatedDevice(DeviceProfiles.ofCapacity(capacity * CHUNK)), addresses * CHUNK);
    InvariantChecker checker = new InvariantChecker(capacity * CHUNK, true, true);
    GmLakeEffects effects = new GmLakeEffects();
    GmLakeAllocator allocator =
        new GmLakeAllocator(
            settings,
            limit < 0 ? -1 : limit * CHUNK,
            device,
            device.handleMemory().orElseThrow(),
            EffectListeners.both(checker, effects));
    NaiveGmLake naive =
        new NaiveGmLake(
            settings, new NaiveGmLake.Bounds(capacity, limit, addresses), device::nextGiven);
    random = new SplittableRandom(seed);
    this.streams = streams;
    for (int step = 0; step < STEPS; step++) {
      String where = "step " + step;
      act(step, allocator, naive, where);
      assertEquals(naive.takeEffects(), effects.take(), where);
      assertEquals(0, device.givenButUnused(), where);
      assertEquals(naive.freeBytes(), device.freeBytes(), where);
      assertEquals(naive.mapped, device.calls(DriverCall.MAP), where);
      assertEquals(naive.unmapped, device.calls(DriverCall.UNMAP), where);
      assertEquals(naive.rangesReturned, device.calls(DriverCall.ADDRESS_FREE), where);
      assertEquals(naive.layout(), layout(allocator), where);
      checker.check(allocator);
    }
    given.forEach(allocator::free);
    allocator.synchronize();
    allocator.emptyCache();
    assertEquals(capacity * CHUNK, device.freeBytes());
    assertEquals(0, device.reservedBytes(), "addresses that are still reserved");
    boolean stitches = settings.stitches() && (level <= 2 || settings.reallocates());
    assertEquals(stitches, naive.stitchedCount > 20, "stitched");
    assertEquals(addresses > 0 && addresses < 1000, naive.collectedForAddresses > 0, "collected");
  }

  private void act(int step, GmLakeAllocator allocator, NaiveGmLake naive, String where) {
    int action = random.nextInt(1000);
    if (action < 4) {
      allocator.emptyCache();
      naive.emptyCache();
    } else if (action < 15) {
      allocator.synchronize();
      naive.synchronize();
    } else if (action < 80) {
      int id = someId(step);
      int stream = random.nextInt(streams + 1);
      allocator.useStream(id, stream, step);
      naive.useStream(id, stream, step);
    } else if (action < 150) {
      int id = someId(step);
      int stream = random.nextBoolean() ? AllocationTrace.ANY_STREAM : random.nextInt(streams);
      allocator.useComplete(id, stream);
      naive.useComplete(id, stream);
    } else if (action < 165) {
      int id = freed.isEmpty() ? step : freed.removeLast(); // it may wait for other streams
      allocator.free(id);
      naive.free(id);
    } else if (action < (given.size() > 25 ? 700 : 520) && !given.isEmpty()) {
      int index = random.nextInt(given.size());
      int id = given.set(index, given.getLast());
      given.removeLast();
      allocator.free(id);
      naive.free(id);
      freed.add(id);
    } else {
      long bytes = bytes();
      int stream = random.nextInt(streams);
      long address = allocator.allocate(step, bytes, stream, 0);
      assertEquals(naive.allocate(step, bytes, stream), address, where);
      given.add(step);
    }
  }

  /** Mostly an allocation that is live, or was until not long ago. */
  private int someId(int step) {
    List<Integer> ids = random.nextInt(3) == 0 ? freed : given;
    return ids.isEmpty() ? step : ids.get(ids.size() - 1 - random.nextInt(Math.min(8, ids.size())));
  }

  private long bytes() {
    return switch (random.nextInt(10)) {
      case 0 -> 1 + random.nextLong(4096);
      case 1 -> (1L << 20) - 512 + random.nextLong(1024);
      case 2, 3 -> CHUNK * (1 + random.nextInt(60)) - random.nextLong(CHUNK);
      default -> CHUNK * 5 * (1 + random.nextInt(6)) - random.nextInt(2);
    };
  }

  /** The units that are in use, as {@link NaiveGmLake#layout} has them. */
  private static List<String> layout(GmLakeAllocator allocator) {
    MemoryLayout layout = MemoryLayout.of(allocator);
    List<String> units = new ArrayList<>();
    for (int block = 0; block < layout.blockCount(); block++) {
      if (layout.state(block) != BlockState.INACTIVE) {
        long unitBytes = layout.blockBytes(block) < CHUNK ? 512 : CHUNK;
        long share = layout.requestedBytes(block);
        for (long at = 0; at < layout.blockBytes(block); at += unitBytes) {
          units.add(
              NaiveGmLake.unitName(
                  layout.blockAddress(block) + at,
                  layout.allocation(block),
                  Math.min(share - at, unitBytes),
                  layout.state(block) != BlockState.ACTIVE_ALLOCATED));
        }
      }
    }
    units.sort(null);
    return units;
  }
}
