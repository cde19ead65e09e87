package org.allocsim.benchmarks.suite;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.stats.MemoryStats;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What a request costs an allocator that holds many live and as many free blocks. Live and free
 * blocks alternate, so that free ones stay apart. Each operation allocates a block and gives back
 * the one that was allocated 32 operations before, so that numbers stay as they are.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BlocksBenchmark {
  /** Which sizes the blocks have, and which are asked for. */
  public enum Sizes {
    /** Small blocks of 64 sizes; those that are asked for are there. */
    FEW(64, 512, 512, 0),
    /** All blocks have one size: the allocator must choose among equals, by address. */
    EQUAL(1, 4096, 0, 0),
    /** A little less than a block is asked for, which is split and put together again. */
    SPLIT(64, 2048, 1024, 512),
    /** Large blocks of 16 384 sizes: hardly two of those in use are alike. */
    MANY(1 << 14, (1L << 20) + 512, 512, 0),
    /** No two blocks are alike, up to a million of them. */
    DISTINCT(1 << 20, (1L << 20) + 512, 512, 0),
    /** Sizes that an order by classes of sizes cannot distinguish: all from 1 GiB to 1/64 more. */
    ALIKE(1 << 14, 1L << 30, 512, 0),
    /** Twenty powers of two from 512 bytes on, as buddies have them. */
    POWERS(20, 512, 0, 0) {
      @Override
      long bytes(int block) {
        return super.bytes(block) << block % 20;
      }
    };

    private final int count;
    private final long minBytes;
    private final long stepBytes;
    private final long spareBytes;

    Sizes(int count, long minBytes, long stepBytes, long spareBytes) {
      this.count = count;
      this.minBytes = minBytes;
      this.stepBytes = stepBytes;
      this.spareBytes = spareBytes;
    }

    long bytes(int block) {
      return minBytes + block % count * stepBytes;
    }

    long requestedBytes(int block) {
      return bytes(block) - spareBytes;
    }
  }

  private static final int OPERATIONS = 1 << 10;
  private static final int ORDER = 1 << 16;

  /** Allocations that the operations hold. */
  private static final int RING = 1 << 5;

  private static final int EVENTS_PER_OPERATION = 3;
  private static final int REQUESTS_PER_OPERATION = 2;
  private static final long SEED = 1;

  /** Live blocks, and as many free ones. */
  @Param({"100", "1000", "10000", "100000", "1000000"})
  public int blocks;

  /** Sizes of blocks and requests. */
  @Param({"FEW", "EQUAL", "SPLIT", "MANY", "DISTINCT", "ALIKE", "POWERS"})
  public Sizes sizes;

  /** PyTorch's {@code PYTORCH_CUDA_ALLOC_CONF}. */
  @Param({"", "expandable_segments:True"})
  public String conf;

  private AllocatorPolicy policy;
  private MemoryStats stats;
  private int firstOfRing;
  private long next;
  private final long[] order = new long[ORDER];

  /** For JMH. */
  public BlocksBenchmark() {}

  /** Fills the allocator. */
  @Setup
  public void prepare() throws UnfitTraceException, PolicyOptionException {
    stats = new MemoryStats(-1);
    policy =
        Policies.named("pytorch")
            .orElseThrow()
            .create(
                new PolicySettings(-1, conf.isEmpty() ? Map.of() : Map.of("conf", conf)),
                FutureRequests.NONE,
                new EndlessMemory(),
                stats);
    for (int block = 0; block < 2 * blocks; block++) {
      policy.allocate(block, sizes.bytes(block >> 1), 0, 0);
    }
    for (int block = 0; block < blocks; block++) {
      policy.free(2 * block);
    }
    firstOfRing = 2 * blocks;
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < ORDER; i++) {
      order[i] = sizes.requestedBytes(random.nextInt(blocks));
    }
    for (int i = 0; i < RING; i++) {
      policy.allocate(firstOfRing + i, sizes.requestedBytes(i), 0, 0);
    }
  }

  /** Allocates and gives back, in an order of sizes that is drawn once. */
  @Benchmark
  public long allocateAndFree(PassCounts counts) {
    long startNanos = PassCounts.now();
    long addresses = 0;
    for (int i = 0; i < OPERATIONS; i++) {
      int allocation = firstOfRing + (int) (next & (RING - 1));
      policy.free(allocation);
      addresses += policy.allocate(allocation, order[(int) next++ & (ORDER - 1)], 0, 0);
    }
    counts.add(OPERATIONS * EVENTS_PER_OPERATION, OPERATIONS * REQUESTS_PER_OPERATION, startNanos);
    return addresses;
  }
}
