package org.allocsim.workloads.transform;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;

/**
 * Which requests of two runs of a program are the same ones, in order: those with the same stack,
 * stream and kind; without a stack, with the same lifetime, counted in requests. Of all ways to
 * pair them the one that leaves out the fewest is taken (E. W. Myers, An O(ND) difference algorithm
 * and its variations, Algorithmica 1986).
 */
final class RunAlignment {
  /** Lifetimes beyond it count as one: most live until the step ends. */
  private static final int MAX_LIFETIME = 64;

  /** Of so many requests that are in one run only the runs are not of one program. */
  private static final int MAX_DIFFERENCES = 6_000;

  /** Numbers of the stacks that were seen in any run. */
  private final Map<List<Object>, Integer> keys = new HashMap<>();

  /**
   * The requests of a run that have a size.
   *
   * @param rows their rows in the trace
   * @param keys what they have in common with the same requests of other runs
   */
  record Requests(int[] rows, int[] keys) {}

  /** The requests of one device or all; host buffers count to each. */
  Requests requests(AllocationTrace trace, int device) {
    int[] rows = new int[trace.eventCount()];
    int count = 0;
    for (int row = trace.prologueCount(); row < trace.eventCount(); row++) {
      if (trace.kind(row) == RequestKind.ALLOCATE
              && (device == SizeFit.Run.ALL_DEVICES || trace.device(row) == device)
          || trace.kind(row) == RequestKind.HOST_ALLOCATE) {
        rows[count++] = row;
      }
    }
    rows = Arrays.copyOf(rows, count);
    int[] lifetimes = lifetimes(trace, rows);
    Map<Integer, Integer> stacks = new HashMap<>();
    int[] found = new int[count];
    for (int i = 0; i < count; i++) {
      int row = rows[i];
      int stack = stacks.computeIfAbsent(trace.stack(row), each -> key(trace.stacks(), each));
      found[i] =
          keys.computeIfAbsent(
              List.of(
                  trace.kind(row),
                  trace.device(row),
                  trace.kind(row) == RequestKind.ALLOCATE ? trace.stream(row) : -1,
                  stack,
                  stack == StackTable.NONE ? lifetimes[i] : -1),
              _ -> keys.size());
    }
    return new Requests(rows, found);
  }

  private int key(StackTable table, int stack) {
    if (stack == StackTable.NONE) {
      return StackTable.NONE;
    }
    List<Object> frames = new ArrayList<>();
    for (int depth = 0; depth < table.depth(stack); depth++) {
      frames.add(table.frame(stack, depth));
    }
    return 1 + keys.computeIfAbsent(frames, _ -> keys.size());
  }

  /** Requests that are made while each lives. */
  private static int[] lifetimes(AllocationTrace trace, int[] rows) {
    int[] orders = new int[trace.allocationCount()];
    Arrays.fill(orders, -1);
    int[] lifetimes = new int[rows.length];
    Arrays.fill(lifetimes, MAX_LIFETIME);
    int made = 0;
    for (int row = trace.prologueCount(); row < trace.eventCount(); row++) {
      if (made < rows.length && rows[made] == row) {
        if (trace.kind(row) == RequestKind.ALLOCATE) {
          orders[trace.allocation(row)] = made;
        }
        made++;
      } else if (trace.kind(row) == RequestKind.FREE && orders[trace.allocation(row)] >= 0) {
        int order = orders[trace.allocation(row)];
        lifetimes[order] = Math.min(MAX_LIFETIME, made - order - 1);
      }
    }
    return lifetimes;
  }

  /**
   * The requests of the second run by those of the first, −1 for those that it lacks.
   *
   * @throws IllegalArgumentException where the runs differ too much to be of one program
   */
  static int[] pairs(int[] first, int[] second) {
    int[] pairs = new int[first.length];
    Arrays.fill(pairs, -1);
    List<int[]> furthest = new ArrayList<>();
    int[] reached = {0};
    for (int differences = 0; ; differences++) {
      if (differences > MAX_DIFFERENCES) {
        throw new IllegalArgumentException(
            ("more than %s of %s and %s requests are in only one of the runs, so they are not the"
                    + " same program")
                .formatted(MAX_DIFFERENCES, first.length, second.length));
      }
      reached = next(first, second, furthest, differences, reached);
      furthest.add(reached);
      int diagonal = first.length - second.length;
      if (Math.abs(diagonal) <= differences
          && (diagonal + differences) % 2 == 0
          && reached[(diagonal + differences) / 2] >= first.length) {
        break;
      }
    }
    walkBack(first, second, furthest, pairs);
    return pairs;
  }

  /** How far one gets in the first run on each diagonal with so many differences. */
  private static int[] next(
      int[] first, int[] second, List<int[]> furthest, int differences, int[] before) {
    int[] reached = new int[differences + 1];
    for (int index = 0; index <= differences; index++) {
      int diagonal = 2 * index - differences;
      int x = furthest.isEmpty() ? 0 : start(before, index, differences);
      while (x < first.length
          && x - diagonal >= 0
          && x - diagonal < second.length
          && first[x] == second[x - diagonal]) {
        x++;
      }
      reached[index] = x;
    }
    return reached;
  }

  /** Where a diagonal begins, after a request that only one of the runs has. */
  private static int start(int[] before, int index, int differences) {
    boolean fromAbove = index == 0 || index < differences && before[index - 1] < before[index];
    return fromAbove ? before[index] : before[index - 1] + 1;
  }

  private static void walkBack(int[] first, int[] second, List<int[]> furthest, int[] pairs) {
    int x = first.length;
    int y = second.length;
    for (int differences = furthest.size() - 1; differences >= 0; differences--) {
      int index = (x - y + differences) / 2;
      int begin = differences == 0 ? 0 : start(furthest.get(differences - 1), index, differences);
      while (x > begin) {
        x--;
        y--;
        pairs[x] = y;
      }
      if (differences > 0) {
        boolean fromAbove =
            index == 0
                || index < differences
                    && furthest.get(differences - 1)[index - 1]
                        < furthest.get(differences - 1)[index];
        x -= fromAbove ? 0 : 1;
        y -= fromAbove ? 1 : 0;
      }
    }
  }
}
