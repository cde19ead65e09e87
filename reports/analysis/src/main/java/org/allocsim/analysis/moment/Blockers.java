package org.allocsim.analysis.moment;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;

/**
 * The blocks that keep segments from being released. A segment is held open by its blocks in use,
 * and with it the free blocks between them. Of a run of an expandable segment, whole free pages can
 * be released and are not held.
 */
public final class Blockers {
  /** How segments are ranked. */
  public enum Order {
    /** By free bytes per byte in use, the highest first. */
    RATIO,
    /** By free bytes, the highest first. */
    FREE
  }

  /**
   * A block in use.
   *
   * @param index its number in the layout
   * @param allocation its allocation id
   * @param address where it lies
   * @param bytes what it takes
   * @param requestedBytes what the program asked for
   * @param awaiting whether it was given back and awaits the end of its use on other streams
   */
  public record Block(
      int index, int allocation, long address, long bytes, long requestedBytes, boolean awaiting) {}

  /**
   * A segment held open.
   *
   * @param index its number in the layout
   * @param address where it begins
   * @param bytes its size
   * @param stream number of its stream
   * @param pool number of its pool, 0 for the default pool
   * @param expandable whether it is a run of an expandable segment
   * @param freeBytes free bytes that cannot be released
   * @param blockerBytes bytes of the blocks in use
   * @param blocks the blocks in use, by address
   */
  public record Segment(
      int index,
      long address,
      long bytes,
      int stream,
      int pool,
      boolean expandable,
      long freeBytes,
      long blockerBytes,
      List<Block> blocks) {
    /** Keeps its own copy. */
    public Segment {
      blocks = List.copyOf(blocks);
    }

    /** Free bytes per byte in use. */
    public double freePerByte() {
      return (double) freeBytes / blockerBytes;
    }
  }

  private Blockers() {}

  /**
   * The segments of a layout that are held open, ranked; segments that are used fully or not at all
   * are not among them.
   *
   * @param largePageBytes page of the large pool's expandable segments
   */
  public static List<Segment> of(MemoryLayout layout, long largePageBytes, Order order) {
    List<Segment> heldOpen = new ArrayList<>();
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      Segment candidate = segment(layout, segment, largePageBytes);
      if (candidate.freeBytes > 0 && candidate.blockerBytes > 0) {
        heldOpen.add(candidate);
      }
    }
    Comparator<Segment> byFree = Comparator.comparingLong(Segment::freeBytes).reversed();
    Comparator<Segment> ranking =
        order == Order.FREE
            ? byFree
            : Comparator.comparingDouble(Segment::freePerByte).reversed().thenComparing(byFree);
    heldOpen.sort(ranking.thenComparing(Segment::address, Long::compareUnsigned));
    return heldOpen;
  }

  /** One segment, held open or not. */
  static Segment segment(MemoryLayout layout, int segment, long largePageBytes) {
    long free = -SlackSplit.releasableBytes(layout, segment, largePageBytes);
    long inUse = 0;
    List<Block> blocks = new ArrayList<>();
    for (int b = layout.firstBlock(segment); b < layout.firstBlock(segment + 1); b++) {
      if (layout.state(b) == BlockState.INACTIVE) {
        free += layout.blockBytes(b);
      } else {
        inUse += layout.blockBytes(b);
        blocks.add(block(layout, b));
      }
    }
    return new Segment(
        segment,
        layout.segmentAddress(segment),
        layout.segmentBytes(segment),
        layout.stream(segment),
        layout.segmentPool(segment),
        layout.isExpandable(segment),
        free,
        inUse,
        blocks);
  }

  static Block block(MemoryLayout layout, int index) {
    return new Block(
        index,
        layout.allocation(index),
        layout.blockAddress(index),
        layout.blockBytes(index),
        layout.requestedBytes(index),
        layout.state(index) == BlockState.ACTIVE_PENDING_FREE);
  }
}
