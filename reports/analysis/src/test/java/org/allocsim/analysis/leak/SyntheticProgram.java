package org.allocsim.analysis.leak;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;

/**
 * A training loop of known behaviour: weights, optimizer states in the first iteration, and in each
 * one a batch that stays until the next is loaded, activations, and whatever a test adds.
 */
final class SyntheticProgram {
  static final long MIB = 1L << 20;
  static final String STEP = "step";

  final AllocationTrace.Builder trace = new AllocationTrace.Builder();
  final Random random;
  private final StackTable.Builder stacks = new StackTable.Builder();
  private int batch = -1;
  private int iteration;

  SyntheticProgram(long seed) {
    random = new Random(seed);
    for (int layer = 0; layer < 6; layer++) {
      allocate(8 * MIB + layer * 1024L);
    }
  }

  /** What one iteration does besides training. */
  interface Extra {
    void run(SyntheticProgram program, int iteration);
  }

  int allocate(long bytes) {
    return trace.allocate(bytes, 0, PoolId.DEFAULT);
  }

  /** The stack of allocations that follow. */
  void at(String function) {
    trace.at(0, 0, function == null ? 0 : stacks.stack(stacks.frame("train.py", 7, function)));
  }

  /** Runs iterations whose batches vary between these sizes, with a marker at each begin. */
  SyntheticProgram iterate(int count, long minBatch, long maxBatch, Extra extra) {
    for (int i = 0; i < count; i++) {
      trace.markerBegin(STEP + "#" + iteration);
      long bytes = minBatch + (long) (random.nextDouble() * (maxBatch - minBatch));
      int next = allocate(bytes);
      if (batch >= 0) {
        trace.free(batch);
      }
      batch = next;
      Deque<Integer> activations = new ArrayDeque<>();
      for (int layer = 0; layer < 6; layer++) {
        activations.push(allocate(4 * bytes + 512L * layer));
        trace.free(allocate(bytes + 4096));
      }
      extra.run(this, iteration);
      while (!activations.isEmpty()) {
        trace.free(activations.pop());
      }
      if (iteration == 0) {
        for (int layer = 0; layer < 12; layer++) {
          allocate(8 * MIB + layer * 1024L);
        }
      }
      trace.markerEnd(STEP + "#" + iteration);
      iteration++;
    }
    return this;
  }

  AllocationTrace build() {
    trace.markerBegin(STEP + "#" + iteration);
    allocate(512);
    return trace.build(stacks.build());
  }

  static LeakAnalysis analyse(AllocationTrace trace, AllocatorConfig config, Iterations iterations)
      throws IterationException {
    ServedBlocks served = new ServedBlocks();
    Run.of(
        new RunSetup(
            trace,
            0,
            RunPolicy.pytorch(config, PyTorchVersion.DEFAULT),
            MemoryLimit.NONE,
            new MemorySource.Simulated(DeviceProfiles.defaultProfile())),
        served);
    return LeakAnalysis.of(trace, 0, iterations, served, -1);
  }

  LeakAnalysis analyse() throws IterationException {
    AllocationTrace built = build();
    return analyse(built, AllocatorConfig.DEFAULT, new IterationFinder(built, 0).any());
  }

  /** A list that is filled by one block per iteration and emptied when it is full. */
  static Extra buffer(long bytes, int capacity) {
    List<Integer> held = new ArrayList<>();
    return (program, _) -> {
      held.add(program.allocate(bytes));
      if (held.size() == capacity) {
        held.forEach(program.trace::free);
        held.clear();
      }
    };
  }
}
