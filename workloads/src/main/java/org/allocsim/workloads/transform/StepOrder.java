package org.allocsim.workloads.transform;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * A program whose steps come in another order. A step keeps its rows; what lies before the first
 * and after the last step stays where it is.
 *
 * <p><b>Across steps.</b> What one step makes and a later one gives back (gradients that the next
 * step clears, a batch that is loaded ahead) lives over as many ends of steps as before, at most:
 * it is given back where the later step does so, or else when as many steps are over as there were
 * between them. Uses on other streams move with their rows; those of memory that is not there are
 * left out.
 *
 * @param boundaries rows with which the steps begin, ascending, and the row after the last step
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
      throw new IllegalArgumentException("a program without steps cannot be reordered");
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
      throw new IllegalArgumentException("the steps do not match the trace");
    }
    return new Run(trace).copy(order);
  }

  private void requirePermutation(int[] order) {
    int[] sorted = order.clone();
    Arrays.sort(sorted);
    for (int i = 0; i < sorted.length; i++) {
      if (sorted[i] != i || sorted.length != count()) {
        throw new IllegalArgumentException(
            "an order of " + count() + " steps must name each of 0.." + (count() - 1) + " once");
      }
    }
    if (sorted.length != count()) {
      throw new IllegalArgumentException("an order of " + count() + " steps must name each once");
    }
  }

  private final class Run {
    private static final int NEVER = -1;

    private final AllocationTrace trace;
    private final TraceCopy copy;

    /** By row that makes an allocation or host buffer in a step: step that gives it back. */
    private final Map<Integer, Integer> endStep = new HashMap<>();

    private final BitSet liveHostBuffers = new BitSet();
    private long timeNanos = Long.MIN_VALUE;

    Run(AllocationTrace trace) {
      this.trace = trace;
      copy = new TraceCopy(trace);
      Map<Integer, Integer> madeBy = new HashMap<>();
      for (int step = 0; step < count(); step++) {
        for (int event = boundaries[step]; event < boundaries[step + 1]; event++) {
          if (makes(event)) {
            madeBy.put(subject(event), event);
          } else if (endsLife(event)) {
            Integer made = madeBy.get(subject(event));
            if (made != null && made < boundaries[step]) {
              endStep.put(made, step);
            }
          }
        }
      }
    }

    /** Allocations from 0 up, host buffers from −1 down. */
    private int subject(int event) {
      RequestKind kind = trace.kind(event);
      boolean ofHost = kind == RequestKind.HOST_ALLOCATE || kind == RequestKind.HOST_FREE;
      return ofHost ? ~trace.hostBuffer(event) : trace.allocation(event);
    }

    private boolean makes(int event) {
      return switch (trace.kind(event)) {
        case ALLOCATE, RESTORE_BLOCK, HOST_ALLOCATE -> true;
        default -> false;
      };
    }

    private boolean endsLife(int event) {
      RequestKind kind = trace.kind(event);
      return kind == RequestKind.FREE || kind == RequestKind.HOST_FREE;
    }

    AllocationTrace copy(int[] order) {
      rows(0, boundaries[0], 0);
      long now = trace.timeNanos(boundaries[0]);
      List<List<Integer>> due = new ArrayList<>();
      for (int i = 0; i < order.length; i++) {
        due.add(new ArrayList<>());
      }
      for (int place = 0; place < order.length; place++) {
        int begin = boundaries[order[place]];
        int end = boundaries[order[place] + 1];
        rows(begin, end, now - trace.timeNanos(begin));
        now += trace.timeNanos(end - 1) - trace.timeNanos(begin) + 1;
        due.get(place).forEach(this::free);
        for (int event = begin; event < end; event++) {
          int later = endStep.getOrDefault(event, NEVER);
          if (later != NEVER) {
            int last = place + later - order[place];
            due.get(Math.min(last, order.length - 1)).add(event);
          }
        }
      }
      due.getLast().forEach(this::free);
      int last = boundaries[count()];
      rows(last, trace.eventCount(), Math.max(0, now - trace.timeNanos(last - 1) - 1));
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
        case FREE -> copy.isLive(subject);
        case USE_STREAM, USE_COMPLETE -> copy.holds(subject);
        case HOST_ALLOCATE -> {
          liveHostBuffers.set(subject);
          yield true;
        }
        case HOST_FREE -> {
          boolean isLive = liveHostBuffers.get(subject);
          liveHostBuffers.clear(subject);
          yield isLive;
        }
        case HOST_USE_STREAM -> liveHostBuffers.get(subject);
        default -> true;
      };
    }

    private void free(int row) {
      int subject = trace.allocation(row);
      if (trace.kind(row) != RequestKind.HOST_ALLOCATE) {
        if (copy.isLive(subject)) {
          copy.freeNow(subject, trace.device(row), timeNanos);
        }
      } else if (liveHostBuffers.get(subject)) {
        liveHostBuffers.clear(subject);
        copy.freeHostNow(subject, trace.device(row), timeNanos);
      }
    }
  }
}
