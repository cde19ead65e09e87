package org.allocsim.workloads.transform;

import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * A program whose steps come in another order. A step keeps its rows; what lies before the first
 * and behind the last step stays where it is.
 *
 * <p><b>Across steps.</b> What one step makes and a later one gives back (gradients that the next
 * step clears, a batch that is loaded ahead) cannot simply move: where the step that gives it back
 * now comes first, the memory is given back when the step is over that follows the one that made
 * it. Uses on other streams move with their rows; those of memory that is not there are left out.
 *
 * @param boundaries rows with which the steps begin, ascending, and the row behind the last step
 */
@SuppressWarnings("ArrayRecordComponent")
public record StepOrder(int[] boundaries) {
  /** Refuses boundaries that do not ascend. */
  public StepOrder {
    boundaries = boundaries.clone();
    for (int i = 1; i < boundaries.length; i++) {
      if (boundaries[i] <= boundaries[i - 1]) {
        throw new IllegalArgumentException("boundaries of steps must ascend");
      }
    }
    if (boundaries.length < 2) {
      throw new IllegalArgumentException("a program without steps has none to reorder");
    }
  }

  /** Number of steps. */
  public int count() {
    return boundaries.length - 1;
  }

  /** A random order of the steps; the same seed gives the same. */
  public int[] shuffled(long seed) {
    int[] order = new int[count()];
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < order.length; i++) {
      int other = random.nextInt(i + 1);
      order[i] = order[other];
      order[other] = i;
    }
    return order;
  }

  /**
   * A copy of a trace with its steps in an order.
   *
   * @param order every step once, counted from 0
   * @throws IllegalArgumentException where the order is none, or the steps do not fit the trace
   */
  public AllocationTrace apply(AllocationTrace trace, int[] order) {
    requirePermutation(order);
    if (boundaries[0] < trace.prologueCount() || boundaries[count()] > trace.eventCount()) {
      throw new IllegalArgumentException("the steps are not those of the trace");
    }
    return new Run(trace).copy(order);
  }

  private void requirePermutation(int[] order) {
    int[] sorted = order.clone();
    Arrays.sort(sorted);
    for (int i = 0; i < sorted.length; i++) {
      if (sorted[i] != i || sorted.length != count()) {
        throw new IllegalArgumentException(
            "an order of " + count() + " steps names each of 0.." + (count() - 1) + " once");
      }
    }
    if (sorted.length != count()) {
      throw new IllegalArgumentException("an order of " + count() + " steps names each once");
    }
  }

  private final class Run {
    private final AllocationTrace trace;
    private final TraceCopy copy;

    /** Allocations whose FREE row came before their ALLOCATE row. */
    private final BitSet freedBefore = new BitSet();

    private final BitSet hostFreedBefore = new BitSet();
    private final BitSet hostMade = new BitSet();
    private long timeNanos = Long.MIN_VALUE;

    Run(AllocationTrace trace) {
      this.trace = trace;
      copy = new TraceCopy(trace);
    }

    AllocationTrace copy(int[] order) {
      rows(0, boundaries[0], 0);
      long now = trace.timeNanos(boundaries[0]);
      BitSet overdue = new BitSet();
      for (int step : order) {
        int begin = boundaries[step];
        int end = boundaries[step + 1];
        BitSet before = (BitSet) overdue.clone();
        rows(begin, end, now - trace.timeNanos(begin));
        now += trace.timeNanos(end - 1) - trace.timeNanos(begin) + 1;
        giveBack(before);
        overdue.clear();
        collectOverdue(begin, end, overdue);
      }
      giveBack(overdue);
      int last = boundaries[count()];
      rows(last, trace.eventCount(), Math.max(0, now - trace.timeNanos(boundaries[count()] - 1) - 1));
      return copy.build();
    }

    private void rows(int begin, int end, long shiftNanos) {
      for (int event = begin; event < end; event++) {
        if (event < trace.prologueCount() || isPossible(event)) {
          timeNanos = Math.max(timeNanos, trace.timeNanos(event) + shiftNanos);
          copy.row(event, trace.bytes(event), timeNanos);
        }
      }
    }

    private boolean isPossible(int event) {
      int subject = trace.allocation(event);
      return switch (trace.kind(event)) {
        case FREE -> {
          if (!copy.holds(subject)) {
            freedBefore.set(subject);
          }
          yield copy.isLive(subject);
        }
        case USE_STREAM, USE_COMPLETE -> copy.holds(subject);
        case HOST_ALLOCATE -> {
          hostMade.set(subject);
          yield true;
        }
        case HOST_FREE -> {
          if (!hostMade.get(subject)) {
            hostFreedBefore.set(subject);
          }
          yield hostMade.get(subject);
        }
        case HOST_USE_STREAM -> hostMade.get(subject);
        default -> true;
      };
    }

    /** Rows of a step that made what an earlier one has already tried to give back. */
    private void collectOverdue(int begin, int end, BitSet overdue) {
      for (int event = begin; event < end; event++) {
        int subject = trace.allocation(event);
        RequestKind kind = trace.kind(event);
        boolean allocates = kind == RequestKind.ALLOCATE || kind == RequestKind.RESTORE_BLOCK;
        if ((allocates && freedBefore.get(subject))
            || (kind == RequestKind.HOST_ALLOCATE && hostFreedBefore.get(subject))) {
          overdue.set(event);
        }
      }
    }

    private void giveBack(BitSet rows) {
      rows.stream()
          .forEach(row -> {
            int subject = trace.allocation(row);
            if (trace.kind(row) == RequestKind.HOST_ALLOCATE) {
              copy.freeHostNow(subject, trace.device(row), timeNanos);
            } else {
              copy.freeNow(subject, trace.device(row), timeNanos);
            }
          });
    }
  }
}
