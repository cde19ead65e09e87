package org.allocsim.analysis.attribution;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.allocsim.analysis.moment.LiveSet.Group;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;

/**
 * What a program holds at a moment, by category. The rows add up to allocated memory, to the byte.
 *
 * @param rows categories that hold anything, the largest first, the unknown last
 */
public record CategoryTotals(List<Row> rows) {
  /**
   * A category.
   *
   * @param group its blocks
   * @param recordedBytes allocated bytes whose category was recorded
   * @param stackBytes allocated bytes whose category the stack shows
   * @param inferredBytes allocated bytes whose category follows from their lifetime
   */
  public record Row(
      Category category, Group group, long recordedBytes, long stackBytes, long inferredBytes) {}

  /** Keeps its own copy. */
  public CategoryTotals {
    rows = List.copyOf(rows);
  }

  public static CategoryTotals of(MemoryMoment moment, Attribution attribution) {
    int categories = Category.values().length;
    int certainties = Certainty.values().length;
    long[][] bytes = new long[categories][certainties];
    long[] requested = new long[categories];
    long[] blocks = new long[categories];
    MemoryLayout layout = moment.layout();
    for (int block = 0; block < layout.blockCount(); block++) {
      if (layout.state(block) == BlockState.ACTIVE_ALLOCATED) {
        int allocation = layout.allocation(block);
        int category = attribution.category(allocation).ordinal();
        bytes[category][attribution.certainty(allocation).ordinal()] += layout.blockBytes(block);
        requested[category] += layout.requestedBytes(block);
        blocks[category]++;
      }
    }
    List<Row> rows = new ArrayList<>();
    for (Category category : Category.values()) {
      int number = category.ordinal();
      long sum = 0;
      for (long part : bytes[number]) {
        sum += part;
      }
      if (blocks[number] > 0) {
        rows.add(
            new Row(
                category,
                new Group(category.label(), blocks[number], requested[number], sum),
                bytes[number][Certainty.RECORDED.ordinal()],
                bytes[number][Certainty.STACK.ordinal()],
                bytes[number][Certainty.INFERRED.ordinal()]));
      }
    }
    rows.sort(
        Comparator.comparing((Row row) -> row.category() == Category.UNKNOWN)
            .thenComparing(
                Comparator.comparingLong((Row row) -> row.group().blockBytes()).reversed()));
    return new CategoryTotals(rows);
  }
}
