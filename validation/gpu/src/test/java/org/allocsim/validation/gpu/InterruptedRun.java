package org.allocsim.validation.gpu;

import java.util.Map;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.validation.gpu.cuda.GpuBounds;
import org.allocsim.validation.gpu.cuda.NativeCuda;

/**
 * A program that is to be interrupted: it says {@code running} while it holds memory of the GPU
 * and, on its way out, {@code given back} once the GPU has as much free as before the run. It keeps
 * a context of its own, so that only what the run took comes back, and not by the end of the
 * process.
 */
final class InterruptedRun {
  private static final long MIB = 1L << 20;
  private static final long PATIENCE_NANOS = 5_000_000_000L;

  private InterruptedRun() {}

  /** Requests of 64 MiB that live as long as 16 others. */
  static AllocationTrace trace(int requests) {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    int[] live = new int[16];
    for (int request = 0; request < requests; request++) {
      builder.at(0, request, 0);
      if (request >= live.length) {
        builder.free(live[request % live.length]);
      }
      live[request % live.length] = builder.allocate(64 * MIB, 0, PoolId.DEFAULT);
    }
    return builder.build(new StackTable.Builder().build());
  }

  /** Runs until it is interrupted, a minute or so at most. */
  public static void main(String[] args) throws Exception {
    NativeCuda observer = new NativeCuda(0);
    GpuValidation validation = new GpuValidation(0, GpuBounds.NONE);
    PolicySettings settings = new PolicySettings(-1, Map.of());
    validation.run(
        new GpuCase(trace(100), 0, Policies.named("direct").orElseThrow(), settings, -1, false));
    long before = observer.freeBytes();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> awaitFree(observer, before)));
    HookedProvider running =
        new HookedProvider(
            "direct",
            1000,
            () -> {
              if (observer.freeBytes() < before - 900 * MIB) {
                System.out.println("running");
              }
            });
    validation.run(new GpuCase(trace(400_000), 0, running, settings, -1, false));
  }

  private static void awaitFree(NativeCuda observer, long bytes) {
    observer.useContext();
    long start = System.nanoTime();
    while (observer.freeBytes() != bytes && System.nanoTime() - start < PATIENCE_NANOS) {
      Thread.onSpinWait();
    }
    long left = bytes - observer.freeBytes();
    System.out.println(left == 0 ? "given back" : left + " bytes were not given back");
  }
}
