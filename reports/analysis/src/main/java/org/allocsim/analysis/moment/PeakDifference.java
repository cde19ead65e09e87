package org.allocsim.analysis.moment;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.moment.LiveSet.Group;

/**
 * What differs between the memory of two programs, each at a moment of its own. Reserved memory is
 * requested memory, rounding and slack; the first is the program's doing, the others are the
 * allocator's. The rows add up to the difference of requested and of allocated memory, to the byte.
 *
 * @param before moment of the first program
 * @param after moment of the second program
 * @param by what the rows share
 * @param rows groups of live blocks, the largest change of requested bytes first
 * @param unknown live blocks that belong to no group
 */
public record PeakDifference(
    MemoryMoment before, MemoryMoment after, LiveSet.By by, List<Row> rows, Row unknown) {

  /** A group in both programs; without blocks where a program has none. */
  public record Row(Group before, Group after) {
    /** What the group is. */
    public String label() {
      return before.label();
    }

    /** Change of what was asked for. */
    public long requestedBytes() {
      return after.requestedBytes() - before.requestedBytes();
    }
  }

  /** Keeps its own copy. */
  public PeakDifference {
    rows = List.copyOf(rows);
  }

  /** The difference between two programs whose live sets are grouped in the same way. */
  public static PeakDifference of(
      MemoryMoment before, LiveSet liveBefore, MemoryMoment after, LiveSet liveAfter) {
    Map<String, Group> first = byLabel(liveBefore);
    Map<String, Group> second = byLabel(liveAfter);
    List<Row> rows = new ArrayList<>();
    first.forEach(
        (label, group) -> rows.add(new Row(group, second.getOrDefault(label, Group.none(label)))));
    second.forEach((label, group) -> {
      if (!first.containsKey(label)) {
        rows.add(new Row(Group.none(label), group));
      }
    });
    rows.sort(
        Comparator.comparingLong((Row row) -> Math.abs(row.requestedBytes()))
            .reversed()
            .thenComparing(Row::label));
    return new PeakDifference(
        before, after, liveBefore.by(), rows, new Row(liveBefore.unknown(), liveAfter.unknown()));
  }

  private static Map<String, Group> byLabel(LiveSet live) {
    Map<String, Group> groups = new LinkedHashMap<>();
    live.groups().forEach(group -> groups.put(group.label(), group));
    return groups;
  }

  /** Change of reserved memory. */
  public long reservedBytes() {
    return after.bytes().reservedBytes() - before.bytes().reservedBytes();
  }

  /** The program's part: change of requested memory. */
  public long programBytes() {
    return after.bytes().requestedBytes() - before.bytes().requestedBytes();
  }

  /** The allocator's part: change of rounding and slack. */
  public long allocatorBytes() {
    return roundingBytes() + slackBytes();
  }

  /** Change of what rounding takes. */
  public long roundingBytes() {
    return after.bytes().roundingBytes() - before.bytes().roundingBytes();
  }

  /** Change of slack. */
  public long slackBytes() {
    return after.bytes().slackBytes() - before.bytes().slackBytes();
  }
}
