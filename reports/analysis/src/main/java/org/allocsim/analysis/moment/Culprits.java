package org.allocsim.analysis.moment;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.moment.LiveSet.Group;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;

/**
 * The lines of a program's own code that hold its memory at a moment, frames of libraries folded.
 * The lines and what has none add up to allocated memory, to the byte.
 *
 * @param lines the lines, the one that holds the most first
 * @param before what was allocated before the recording began
 * @param unknown what was allocated without a stack
 */
public record Culprits(List<Line> lines, Group before, Group unknown) {
  private static final String BEFORE = "before the recording";

  /** Where stacks are recorded, threads without Python frames have none: the backward pass. */
  private static final String NO_FRAMES = "no Python frame, as in the backward pass";

  private static final String NO_STACK = "no stack recorded";

  /**
   * A line and what it holds.
   *
   * @param code the line; of what was called there, that with the most memory
   * @param group blocks and bytes
   * @param insideBytes what of it was allocated inside {@code code.inside()}
   */
  public record Line(CodeLine code, Group group, long insideBytes) {}

  /** Keeps its own copy. */
  public Culprits {
    lines = List.copyOf(lines);
  }

  /** The lines that hold the memory of a moment. */
  public static Culprits of(MemoryMoment moment, Origins origins) {
    MemoryLayout layout = moment.layout();
    Map<Integer, CodeLine> known = new HashMap<>();
    Map<CodeLine, Group> places = new HashMap<>();
    Group before = Group.none(BEFORE);
    Group unknown = Group.none(origins.hasStacks() ? NO_FRAMES : NO_STACK);
    for (int block = 0; block < layout.blockCount(); block++) {
      if (layout.state(block) != BlockState.ACTIVE_ALLOCATED) {
        continue;
      }
      int allocation = layout.allocation(block);
      int stack = origins.stack(allocation);
      long requested = layout.requestedBytes(block);
      long bytes = layout.blockBytes(block);
      if (origins.stackTable().depth(stack) > 0) {
        CodeLine line =
            known.computeIfAbsent(stack, each -> CodeLine.of(origins.stackTable(), each));
        places.put(line, places.getOrDefault(line, Group.none(line.text())).plus(requested, bytes));
      } else if (origins.request(allocation) < 0) {
        before = before.plus(requested, bytes);
      } else {
        unknown = unknown.plus(requested, bytes);
      }
    }
    return new Culprits(lines(places), before, unknown);
  }

  /** One line for all that was called there. */
  private static List<Line> lines(Map<CodeLine, Group> places) {
    Map<String, Line> lines = new HashMap<>();
    places.entrySet().stream()
        .sorted(
            Map.Entry.<CodeLine, Group>comparingByValue(
                    Comparator.comparingLong(Group::blockBytes).reversed())
                .thenComparing(each -> each.getKey().inside()))
        .forEach(each -> {
          Line own = new Line(each.getKey(), each.getValue(), each.getValue().blockBytes());
          lines.merge(
              each.getKey().text(),
              own,
              (most, other) -> new Line(most.code, most.group.plus(other.group), most.insideBytes));
        });
    List<Line> sorted = new ArrayList<>(lines.values());
    sorted.sort(
        Comparator.comparingLong((Line line) -> line.group.blockBytes())
            .reversed()
            .thenComparing(line -> line.code.text()));
    return sorted;
  }

  /** All that the program holds. */
  public Group allocated() {
    Group sum = Group.none("allocated");
    for (Line line : lines) {
      sum = sum.plus(line.group);
    }
    return sum.plus(before).plus(unknown);
  }
}
