package org.allocsim.analysis.tuning;

import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;

/** Small programs whose outcome is known. */
final class SyntheticPrograms {
  static final long MIB = 1L << 20;
  static final long GIB = 1L << 30;

  private SyntheticPrograms() {}

  /**
   * Loading a model whose weights are converted layer by layer (vllm-project/vllm#41268): a
   * temporary of 530 MiB, a weight of 530 MiB, the temporary is freed, a weight of 270 MiB stays.
   */
  static AllocationTrace weightConversion(int layers) {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    for (int layer = 0; layer < layers; layer++) {
      int temporary = allocate(builder, 530 * MIB);
      allocate(builder, 530 * MIB);
      builder.free(temporary);
      allocate(builder, 270 * MIB);
    }
    return builder.build(StackTable.empty());
  }

  /** Allocations of the given sizes that stay. */
  static AllocationTrace keeping(long... bytes) {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    for (long each : bytes) {
      allocate(builder, each);
    }
    return builder.build(StackTable.empty());
  }

  /** A large block is freed, a smaller one is carved out of it, then the large size comes back. */
  static AllocationTrace carvedUp() {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    builder.free(allocate(builder, 10 * GIB));
    allocate(builder, 5 * GIB);
    allocate(builder, 6 * GIB);
    return builder.build(StackTable.empty());
  }

  /** A small and a large block on each of so many streams; both stay. */
  static AllocationTrace onStreams(int streams) {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    for (long stream = 0; stream < streams; stream++) {
      builder.allocate(512, stream, PoolId.DEFAULT);
      builder.allocate(20 * MIB, stream, PoolId.DEFAULT);
    }
    return builder.build(StackTable.empty());
  }

  private static int allocate(AllocationTrace.Builder builder, long bytes) {
    return builder.allocate(bytes, 0, PoolId.DEFAULT);
  }
}
