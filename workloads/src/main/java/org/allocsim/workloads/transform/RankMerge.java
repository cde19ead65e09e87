package org.allocsim.workloads.transform;

import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.StackTable;

/**
 * Several programs, one for each rank, as devices of one trace: the devices of the first keep their
 * numbers, those of the next follow. Rows of different devices are independent of each other, so
 * the ranks' rows stand one rank after the other, the prologues before all else.
 */
public final class RankMerge {
  /** Devices that a trace can have. */
  private static final int MAX_DEVICES = 128;

  private RankMerge() {}

  /**
   * The merged trace.
   *
   * @throws IllegalArgumentException for no traces, or more devices than a trace can have
   */
  public static AllocationTrace of(List<AllocationTrace> ranks) {
    int devices = ranks.stream().mapToInt(AllocationTrace::deviceCount).sum();
    if (ranks.isEmpty() || devices > MAX_DEVICES) {
      throw new IllegalArgumentException(
          devices + " devices cannot be merged; give 1 to " + MAX_DEVICES);
    }
    boolean ofPyTorch = ranks.stream().anyMatch(AllocationTrace::isOfPyTorch);
    AllocationTrace.Builder builder = new AllocationTrace.Builder().ofPyTorch(ofPyTorch);
    StackTable.Builder stacks = new StackTable.Builder();
    TraceCopy[] copies = new TraceCopy[ranks.size()];
    int firstDevice = 0;
    int firstEvent = 0;
    for (int rank = 0; rank < copies.length; rank++) {
      AllocationTrace trace = ranks.get(rank);
      copies[rank] = new TraceCopy(trace, builder, firstDevice, firstEvent, numbers(trace, stacks));
      firstDevice += trace.deviceCount();
      firstEvent += trace.gpuEventCount();
    }
    for (int rank = 0; rank < copies.length; rank++) {
      for (int event = 0; event < ranks.get(rank).prologueCount(); event++) {
        copies[rank].prologueRow(event);
      }
    }
    copies[0].endPrologue();
    for (int rank = 0; rank < copies.length; rank++) {
      copies[rank].prologueIsOver();
      AllocationTrace trace = ranks.get(rank);
      for (int event = trace.prologueCount(); event < trace.eventCount(); event++) {
        copies[rank].row(event);
      }
    }
    return builder.build(stacks.build());
  }

  /** Puts a trace's stacks into a common table; answers their numbers there. */
  private static int[] numbers(AllocationTrace trace, StackTable.Builder stacks) {
    StackTable table = trace.stacks();
    int[] numbers = new int[Math.max(1, table.stackCount())];
    for (int stack = 1; stack < table.stackCount(); stack++) {
      int[] frames = new int[table.depth(stack)];
      for (int depth = 0; depth < frames.length; depth++) {
        StackTable.Frame frame = table.frame(stack, depth);
        frames[depth] = stacks.frame(frame.file(), frame.line(), frame.function());
      }
      numbers[stack] = stacks.stack(frames);
    }
    return numbers;
  }
}
