package org.allocsim.reports.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.moment.StackLabels;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.StackTable;

/** All frames of the stacks that allocate blocks, each frame once. */
final class StackColumns {
  private final List<String> frames = new ArrayList<>();
  private final List<Object> stacks = new ArrayList<>();
  private final int[] ofBlock;

  private StackColumns(int blocks) {
    ofBlock = new int[blocks];
  }

  /**
   * The stacks of blocks.
   *
   * @param rows the rows that ask for them
   */
  static StackColumns of(StackTable table, int[] rows, AllocationTrace trace, ShownStacks shown) {
    StackColumns columns = new StackColumns(rows.length);
    Map<String, Integer> numbers = new LinkedHashMap<>();
    int[] known = new int[table.stackCount()];
    Arrays.fill(known, -1);
    int others = -1;
    for (int block = 0; block < rows.length; block++) {
      int stack = trace.stack(rows[block]);
      if (shown.isLeftOut(stack)) {
        if (others < 0) {
          others = columns.stacks.size();
          columns.stacks.add(
              List.of(numbers.computeIfAbsent(ShownStacks.OTHERS, _ -> numbers.size())));
        }
        known[stack] = others;
      } else if (known[stack] < 0) {
        known[stack] = columns.stacks.size();
        List<Object> depths = new ArrayList<>();
        for (int depth = 0; depth < table.depth(stack); depth++) {
          String text = StackLabels.text(table.frame(stack, depth));
          depths.add(numbers.computeIfAbsent(text, _ -> numbers.size()));
        }
        columns.stacks.add(depths);
      }
      columns.ofBlock[block] = known[stack];
    }
    columns.frames.addAll(numbers.keySet());
    return columns;
  }

  /** Writes the number of each block's stack. */
  void put(ColumnWriter out) {
    for (int stack : ofBlock) {
      out.put(stack);
    }
  }

  /** The frames, for JSON. */
  List<String> frames() {
    return frames;
  }

  /** Numbers of the frames of each stack, the innermost first, for JSON. */
  List<Object> stacks() {
    return stacks;
  }
}
