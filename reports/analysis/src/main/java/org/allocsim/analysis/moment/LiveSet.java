package org.allocsim.analysis.moment;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.stats.ByteFormat;

/**
 * The blocks that a program holds at a moment, in groups. The groups, the unknown one among them,
 * add up to allocated memory, to the byte; with those that await their free, to active memory.
 *
 * @param by what the groups share
 * @param groups the groups, the largest first
 * @param unknown blocks that belong to no group, as their stack or phase was not recorded
 * @param awaiting blocks that were given back and await the end of their use on other streams
 */
public record LiveSet(By by, List<Group> groups, Group unknown, Group awaiting) {
  /** What the blocks of a group share. */
  public enum By {
    /** The stack that allocated them, shortened to the frames of the program. */
    STACK("no stack recorded"),
    /** The power of two below the requested size. */
    SIZE("no size recorded"),
    /** The named phase of the program that allocated them. */
    PHASE("no phase recorded"),
    /** What they are for. */
    CATEGORY("unknown");

    private final String absence;

    By(String absence) {
      this.absence = absence;
    }

    /** Label of the blocks that belong to no group. */
    public String absence() {
      return absence;
    }
  }

  /**
   * Blocks that have something in common.
   *
   * @param label what it is
   * @param blocks how many there are
   * @param requestedBytes what the program asked for
   * @param blockBytes what they take
   */
  public record Group(String label, long blocks, long requestedBytes, long blockBytes) {
    static Group none(String label) {
      return new Group(label, 0, 0, 0);
    }

    Group plus(long requested, long bytes) {
      return new Group(label, blocks + 1, requestedBytes + requested, blockBytes + bytes);
    }

    /** Two groups under the label of this one. */
    public Group plus(Group other) {
      return new Group(
          label,
          blocks + other.blocks,
          requestedBytes + other.requestedBytes,
          blockBytes + other.blockBytes);
    }
  }

  /** Keeps its own copy. */
  public LiveSet {
    groups = List.copyOf(groups);
  }

  /**
   * The live set of a moment.
   *
   * @param frames maximum number of frames in the label of a stack
   */
  public static LiveSet of(MemoryMoment moment, Origins origins, By by, int frames) {
    return of(moment, origins, by, frames, _ -> "");
  }

  /**
   * The live set of a moment.
   *
   * @param frames maximum number of frames in the label of a stack
   * @param categories what an allocation is for, by its number; "" where that is unknown
   */
  public static LiveSet of(
      MemoryMoment moment, Origins origins, By by, int frames, IntFunction<String> categories) {
    MemoryLayout layout = moment.layout();
    StackLabels stacks = new StackLabels(origins.stackTable(), frames);
    Map<String, Group> groups = new HashMap<>();
    Group unknown = Group.none(by.absence());
    Group awaiting = Group.none("freed, still in use on another stream");
    for (int block = 0; block < layout.blockCount(); block++) {
      long requested = layout.requestedBytes(block);
      long bytes = layout.blockBytes(block);
      if (layout.state(block) == BlockState.ACTIVE_PENDING_FREE) {
        awaiting = awaiting.plus(requested, bytes);
      } else if (layout.state(block) == BlockState.ACTIVE_ALLOCATED) {
        int allocation = layout.allocation(block);
        String label =
            switch (by) {
              case STACK -> stacks.label(origins.stack(allocation));
              case SIZE -> sizeClass(requested);
              case PHASE ->
                  origins.hasPhases()
                      ? StackLabels.plain(origins.phaseName(origins.phase(allocation)))
                      : "";
              case CATEGORY -> categories.apply(allocation);
            };
        if (label.isEmpty()) {
          unknown = unknown.plus(requested, bytes);
        } else {
          groups.put(label, groups.getOrDefault(label, Group.none(label)).plus(requested, bytes));
        }
      }
    }
    return new LiveSet(
        by,
        groups.values().stream()
            .sorted(
                Comparator.comparingLong(Group::blockBytes).reversed().thenComparing(Group::label))
            .toList(),
        unknown,
        awaiting);
  }

  /** The power of two at or below a size, and the next one. */
  static String sizeClass(long bytes) {
    long floor = Long.highestOneBit(Math.max(1, bytes));
    return size(floor) + " to " + (floor > Long.MAX_VALUE / 2 ? "8 EiB" : size(2 * floor));
  }

  private static String size(long bytes) {
    return ByteFormat.human(bytes).replace(".00", "");
  }

  /** Everything that the program holds: allocated memory. */
  public Group allocated() {
    Group sum = Group.none("allocated");
    for (Group group : groups) {
      sum = sum.plus(group);
    }
    return sum.plus(unknown);
  }
}
