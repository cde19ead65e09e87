package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Under the rules of every release the caching allocator gives the addresses, reserves the bytes
 * and fails where {@link PieceModel} does, for random programs that capture into private pools,
 * with and without expandable segments.
 *
 * <p>{@code -Dallocsim.pieces.requests=10000000} sends that many requests, {@code
 * -Dallocsim.pieces.seed=N} begins with another program.
 */
class PieceModelTest {
  private static final long MIB = 1L << 20;
  private static final long REQUESTS = Long.getLong("allocsim.pieces.requests", 200_000);
  private static final long FIRST_SEED = Long.getLong("allocsim.pieces.seed", 0);
  private static final int REQUESTS_PER_PROGRAM = 1_500;
  private static final int REQUESTS_PER_LAYOUT = 50;
  private static final int POOLS = 12;

  /** What the allocator reported that the model counts, too. */
  private static final class Counts implements EffectListener {
    int failures;
    int retries;
    int synchronisations;
    int rejections;
    long privateFreeBytes;

    @Override
    public void outOfMemory(OutOfMemory failure) {
      failures++;
      privateFreeBytes = failure.privateFreeBytes();
    }

    @Override
    public void allocationRetried() {
      retries++;
    }

    @Override
    public void streamsSynchronized() {
      synchronisations++;
    }

    @Override
    public void requestRejected(int allocation, long requestedBytes, String reason) {
      rejections++;
    }
  }

  private static final class LayoutText implements LayoutVisitor {
    private final StringBuilder text = new StringBuilder();
    private int pool;

    @Override
    public void segment(
        long address, long bytes, int stream, boolean small, int itsPool, boolean expandable) {
      pool = itsPool;
    }

    @Override
    public void block(
        long address, long bytes, long requestedBytes, BlockState state, int allocation) {
      PieceModel.State piece =
          switch (state) {
            case ACTIVE_ALLOCATED -> PieceModel.State.HELD;
            case ACTIVE_PENDING_FREE -> PieceModel.State.PENDING;
            case INACTIVE -> PieceModel.State.FREE;
          };
      text.append(address).append(' ').append(bytes).append(' ');
      text.append(piece).append(' ').append(pool).append('\n');
    }
  }

  /** A random program: the allocator and the model side by side, on devices of their own. */
  private static final class Program {
    private final SplittableRandom random;
    private final PieceModel.Rules rules;
    private final SimulatedDevice device;
    private final SimulatedDevice modelDevice;
    private final Counts counts = new Counts();
    private final CachingAllocator allocator;
    private final PieceModel model;
    private final int streams;
    private final int profile;
    private final int targetLive;
    private final List<Integer> live = new ArrayList<>();
    private final List<Integer> used = new ArrayList<>();
    private final String name;
    private int allocations;
    private int pool;

    Program(PyTorchVersion version, long seed) throws ConfigException {
      random = new SplittableRandom(seed * 16 + version.ordinal());
      profile = random.nextInt(4);
      streams = 1 + random.nextInt(random.nextInt(6) == 0 ? 40 : 3);
      targetLive = 10 << random.nextInt(4);
      long capacity = (profile == 0 ? 3 : 80) * MIB * (4L << random.nextInt(5));
      StringBuilder conf = new StringBuilder();
      rules = rules(version, capacity, conf);
      name = version + " seed " + seed + " '" + conf + "' " + rules;
      device = new SimulatedDevice(DeviceProfiles.ofCapacity(capacity));
      modelDevice = new SimulatedDevice(DeviceProfiles.ofCapacity(capacity));
      AllocatorConfig config = ConfigParser.parse(conf.toString(), version).allocator();
      allocator = new CachingAllocator(config, version, rules.limitBytes(), device, counts);
      model = new PieceModel(rules, modelDevice);
      for (int i = 1; i <= POOLS; i++) {
        boolean servesOnOom = random.nextInt(4) == 0;
        boolean keepsWhole = random.nextInt(6) == 0;
        boolean ownAllocator = random.nextInt(5) == 0;
        allocator.definePool(i, new PrivatePoolOptions(servesOnOom, keepsWhole, ownAllocator));
        model.definePool(i, new PieceModel.Kind(servesOnOom, keepsWhole, ownAllocator));
      }
    }

    /** Draws settings that the release has, and writes them as the user would. */
    private PieceModel.Rules rules(PyTorchVersion version, long capacity, StringBuilder conf) {
      int minor = version.ordinal();
      boolean expandable = minor >= 1 && random.nextInt(4) > 0;
      if (expandable) {
        conf.append("expandable_segments:True,");
      }
      long large = 20;
      if (minor >= 11 && random.nextInt(3) == 0) {
        large = 20 + 2L * random.nextInt(20);
        conf.append("large_segment_size_mb:").append(large).append(',');
      }
      long maxSplit = Long.MAX_VALUE;
      // Up to 2.9, PyTorch may release a part of a segment where both are set (rule 15.3 c).
      if (random.nextInt(3) == 0 && !(expandable && minor < 10)) {
        long megabytes = Math.max(21, large) + random.nextInt(100);
        maxSplit = megabytes * MIB;
        conf.append("max_split_size_mb:").append(megabytes).append(',');
      }
      long rounding = large;
      if (minor >= 6 && random.nextInt(3) == 0) {
        rounding = large + 1 + random.nextInt(60);
        conf.append("max_non_split_rounding_mb:").append(rounding).append(',');
      }
      int divisions = random.nextInt(3) == 0 ? 1 << random.nextInt(4) : 0;
      if (divisions > 0) {
        conf.append("roundup_power2_divisions:").append(divisions).append(',');
      }
      double collectAbove = random.nextInt(3) == 0 ? 0.25 * (1 + random.nextInt(3)) : 0;
      if (collectAbove > 0) {
        conf.append("garbage_collection_threshold:").append(collectAbove).append(',');
      }
      boolean reuses = minor >= 9 && random.nextInt(3) == 0;
      if (reuses) {
        conf.append("graph_capture_record_stream_reuse:True,");
      }
      boolean rejects = minor >= 12 && random.nextInt(4) == 0;
      if (rejects) {
        conf.append("throw_on_cudamalloc_oom:True,");
      }
      if (!conf.isEmpty()) {
        conf.setLength(conf.length() - 1);
      }
      long limit = random.nextInt(3) == 0 ? capacity / 10 * (4 + random.nextInt(6)) : -1;
      return new PieceModel.Rules(
          minor,
          expandable,
          maxSplit,
          rounding * MIB,
          large * MIB,
          collectAbove,
          limit,
          divisions,
          reuses,
          rejects);
    }

    /** Sends all requests; returns how many of them failed. */
    int run() {
      for (int i = 0; i < REQUESTS_PER_PROGRAM; i++) {
        int at = i;
        step();
        assertEquals(model.reservedBytes, allocator.reservedBytes(), () -> where(at, "reserved"));
        assertEquals(modelDevice.freeBytes(), device.freeBytes(), () -> where(at, "device"));
        assertEquals(model.failures, counts.failures, () -> where(at, "failures"));
        assertEquals(model.rejections, counts.rejections, () -> where(at, "rejections"));
        assertEquals(model.retries, counts.retries, () -> where(at, "retries"));
        assertEquals(
            model.synchronisations, counts.synchronisations, () -> where(at, "synchronisations"));
        assertEquals(
            model.privateFreeBytesAtFailure,
            counts.privateFreeBytes,
            () -> where(at, "free in private pools"));
        if (i % REQUESTS_PER_LAYOUT == 0) {
          LayoutText layout = new LayoutText();
          allocator.describeLayout(layout);
          assertEquals(model.layout(), layout.text.toString(), () -> where(at, "layout"));
        }
      }
      return counts.failures;
    }

    private String where(int at, String what) {
      return what + " after request " + at + " of " + name;
    }

    private void step() {
      int choice = random.nextInt(1000);
      if (choice < 20) {
        // A capture begins or ends.
        pool = random.nextInt(2) * (1 + random.nextInt(POOLS));
      } else if (choice < 24) {
        allocator.emptyCache();
        model.emptyCache();
      } else if (choice < 30) {
        int released = 1 + random.nextInt(POOLS);
        allocator.releasePool(released, PoolId.unnamed(released));
        model.giveUpPool(released);
      } else if (choice < 36) {
        int emptied = 1 + random.nextInt(POOLS);
        allocator.emptyPool(emptied);
        model.emptyPool(emptied);
      } else if (choice < 40) {
        allocator.synchronize();
        model.synchronize();
      } else if (choice < 90 && !used.isEmpty()) {
        int allocation = used.get(random.nextInt(used.size()));
        int stream = random.nextBoolean() ? AllocationTrace.ANY_STREAM : random.nextInt(streams);
        allocator.useComplete(allocation, stream);
        model.useIsOver(allocation, stream == AllocationTrace.ANY_STREAM ? -1 : stream);
      } else if (choice < 170 && !live.isEmpty()) {
        int allocation = live.get(random.nextInt(live.size()));
        int stream = random.nextInt(streams + 1);
        long rank = random.nextLong(1L << 40);
        allocator.useStream(allocation, stream, rank);
        model.use(allocation, stream, rank);
        used.add(allocation);
      } else if (live.isEmpty() || random.nextInt(2 * targetLive) >= live.size()) {
        allocate();
      } else {
        freeAny();
      }
      if (used.size() > 40) {
        used.removeFirst();
      }
    }

    private void allocate() {
      int allocation = allocations++;
      long bytes = bytes();
      // Others may ask for memory while a thread captures.
      int from = random.nextInt(8) == 0 ? 0 : pool;
      int stream = random.nextInt(streams);
      long expected = model.allocate(allocation, bytes, stream, from);
      long address = allocator.allocate(allocation, bytes, stream, from);
      assertEquals(
          expected, address, () -> "address of " + bytes + " bytes, pool " + from + ", " + name);
      if (address > 0) {
        live.add(allocation);
      } else if (address < 0) {
        for (int i = live.size() / 3; i > 0; i--) {
          freeAny();
        }
      }
    }

    private void freeAny() {
      int index = random.nextInt(live.size());
      int allocation = live.get(index);
      live.remove(/* index */ index);
      allocator.free(allocation);
      model.free(allocation);
    }

    private long bytes() {
      int odd = random.nextInt(1000);
      if (odd < 2) {
        return odd == 0 ? 0 : (1L << 60) - random.nextInt(2);
      }
      if (odd < 250) {
        long[] edges = {512, 1024, MIB, 2 * MIB, 10 * MIB, 20 * MIB, 40 * MIB};
        long edge = edges[random.nextInt(profile == 0 ? 3 : edges.length)];
        return Math.max(1, edge * (1 + random.nextInt(3)) + random.nextInt(-513, 514));
      }
      double[] low = {0, 18, 20, 6};
      double[] high = {20.3, 25, 27.5, 27};
      return (long) Math.pow(2, random.nextDouble(low[profile], high[profile]));
    }
  }

  @ParameterizedTest
  @EnumSource(PyTorchVersion.class)
  void everyReleaseDoesWhatTheModelDoes(PyTorchVersion version) throws ConfigException {
    long releases = PyTorchVersion.values().length;
    long programs = (REQUESTS + releases * REQUESTS_PER_PROGRAM - 1) / REQUESTS_PER_PROGRAM;
    long failures = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + programs / releases; seed++) {
      failures += new Program(version, seed).run();
    }
    assertTrue(failures > 0, "no request ever failed: the limits are too wide to test much");
  }
}
