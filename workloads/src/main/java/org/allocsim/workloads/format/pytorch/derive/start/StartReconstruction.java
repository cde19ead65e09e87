package org.allocsim.workloads.format.pytorch.derive.start;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;
import org.jspecify.annotations.Nullable;

/**
 * The state of a device when its history begins, found by undoing the history from the segments at
 * its end.
 *
 * <p>Undoing an allocation makes its block free, undoing a completed free carves the block out of
 * the free range around it, undoing a segment's allocation removes the segment and so on. Blocks
 * that were carved out may have been larger than their request by a rest too small to be split off;
 * {@link #restoreSlack} finds where.
 */
final class StartReconstruction {
  /**
   * Pages of one private pool lie nearer than this; address ranges lie at least as far apart as the
   * device is large.
   */
  private static final long MAX_PRIVATE_DISTANCE_BYTES = 4L << 30;

  /** A block of the start; mutable while the history is undone. */
  static final class Block {
    final Run run;
    long address;
    long bytes;
    long requestedBytes;
    BlockState state;
    int stack = StackTable.NONE;

    /** Whether the size was inferred from the request, so that slack may be missing. */
    boolean carved;

    Block(Run run, long address, long bytes, BlockState state) {
      this.run = run;
      this.address = address;
      this.bytes = bytes;
      this.state = state;
    }

    long end() {
      return address + bytes;
    }
  }

  /**
   * What blocks have in common that may merge: an ordinary segment, or all pages of one pool and
   * stream.
   *
   * @param address of the ordinary segment; 0 for pages
   * @param pool null where the history does not say
   */
  record Run(long address, int stream, boolean small, @Nullable PoolId pool, boolean expandable) {}

  /** Pages of one stream and kind, of whatever pool. */
  private record PageGroup(int stream, boolean small) {}

  private final EffectLog effects;
  private final AllocatorConfig config;
  private final TreeMap<Long, Block> blocks = new TreeMap<>(Long::compareUnsigned);
  private final PageKinds pageKinds;
  private final SlackEvidence evidence;
  private final Map<PageGroup, TreeMap<Long, Run>> pageRuns = new HashMap<>();
  private int contradictions;
  private int firstContradiction;
  private @Nullable Torn torn;

  StartReconstruction(
      EffectLog effects, List<SnapshotSegment> finalSegments, AllocatorConfig config) {
    this(effects, finalSegments, config, new PageKinds(effects, config), new SlackEvidence(config));
    SlackEvidence evidence = new SlackEvidence(config);
    restoreSlack(evidence);
    if (!evidence.isEmpty()) {
      // Which blocks to watch is known only now, so the history is undone again.
      new StartReconstruction(effects, finalSegments, config, pageKinds, evidence);
      evidence.forEach(this::extend);
    }
  }

  private StartReconstruction(
      EffectLog effects,
      List<SnapshotSegment> finalSegments,
      AllocatorConfig config,
      PageKinds pageKinds,
      SlackEvidence evidence) {
    this.effects = effects;
    this.config = config;
    this.pageKinds = pageKinds;
    this.evidence = evidence;
    for (SnapshotSegment segment : finalSegments) {
      addFinalSegment(segment);
    }
    for (int row = effects.count() - 1; row >= 0; row--) {
      undo(row);
    }
    if (contradictions > 0) {
      mergeFreeBlocks();
    }
  }

  /** What contradictions cut may have left free blocks side by side. */
  private void mergeFreeBlocks() {
    for (Block block : blocks()) {
      if (block.state == BlockState.INACTIVE && blocks.get(block.address) == block) {
        mergeWithNeighbours(block);
      }
    }
  }

  /** Which rows map or unmap pages of small blocks. */
  PageKinds pageKinds() {
    return pageKinds;
  }

  /** Blocks of the start by ascending address. */
  List<Block> blocks() {
    return new ArrayList<>(blocks.values());
  }

  /** How often the state around a row, or around a block at the end, contradicts it. */
  int contradictions() {
    return contradictions;
  }

  /** The first row of the history that contradicts, or its length where only its end does. */
  int firstContradiction() {
    return firstContradiction;
  }

  /** The first block that memory of another segment reaches into; null where there is none. */
  @Nullable Torn torn() {
    return torn;
  }

  private void contradict(int row) {
    contradictions++;
    firstContradiction = row;
  }

  /**
   * Whether there was anything at the bytes that a row obtains or gives back, where there is
   * nothing now.
   */
  private boolean clear(int row, long address, long bytes) {
    boolean found = false;
    long end = address + bytes;
    for (Map.Entry<Long, Block> entry = blocks.lowerEntry(end);
        entry != null && Long.compareUnsigned(entry.getValue().end(), address) > 0;
        entry = blocks.lowerEntry(end)) {
      found = true;
      Block block = entry.getValue();
      long blockEnd = block.end();
      blocks.remove(block.address);
      boolean isCut =
          Long.compareUnsigned(block.address, address) < 0
              || Long.compareUnsigned(blockEnd, end) > 0;
      if (row == effects.count() || (isCut && block.state != BlockState.INACTIVE)) {
        torn = new Torn(row, block.address, address);
      }
      if (Long.compareUnsigned(block.address, address) < 0) {
        block.bytes = address - block.address;
        block.requestedBytes = Math.min(block.requestedBytes, block.bytes);
        blocks.put(block.address, block);
      }
      if (Long.compareUnsigned(blockEnd, end) > 0) {
        blocks.put(end, new Block(block.run, end, blockEnd - end, BlockState.INACTIVE));
      }
    }
    return found;
  }

  private void addFinalSegment(SnapshotSegment segment) {
    Run run =
        new Run(
            segment.expandable() ? 0 : segment.address(),
            segment.stream(),
            segment.small(),
            segment.pool(),
            segment.expandable());
    for (int i = 0; i < segment.blockCount(); i++) {
      Block block =
          new Block(run, segment.blockAddress(i), segment.blockBytes(i), segment.blockState(i));
      if (block.bytes == 0
          || Long.compareUnsigned(block.address - segment.address(), segment.totalBytes()) >= 0
          || block.bytes > segment.totalBytes() - (block.address - segment.address())
          || clear(effects.count(), block.address, block.bytes)) {
        contradict(effects.count());
        continue;
      }
      block.requestedBytes = Math.min(segment.blockRequestedBytes(i), block.bytes);
      if (block.state != BlockState.INACTIVE
          && block.requestedBytes < segment.blockRequestedBytes(i)) {
        contradict(effects.count());
      }
      block.stack = segment.blockStack(i);
      blocks.put(block.address, block);
      if (segment.expandable()) {
        pageRuns
            .computeIfAbsent(
                new PageGroup(run.stream(), run.small()),
                key -> new TreeMap<>(Long::compareUnsigned))
            .put(block.address, run);
      }
    }
  }

  private void undo(int row) {
    long address = effects.address(row);
    long bytes = effects.bytes(row);
    switch (effects.kind(row)) {
      case ALLOC -> undoAlloc(row);
      case FREE_REQUESTED -> {
        Block block = blocks.get(address);
        if (block == null || block.state != BlockState.ACTIVE_PENDING_FREE) {
          contradict(row);
        } else {
          block.state = BlockState.ACTIVE_ALLOCATED;
        }
      }
      case FREE_COMPLETED -> undoFreeCompleted(row, address, bytes);
      case SEGMENT_ALLOC -> undoSegmentAlloc(row, address, bytes);
      case SEGMENT_FREE -> {
        if (clear(row, address, bytes)) {
          contradict(row);
        }
        boolean small = bytes == 2L << 20;
        Run run = new Run(address, effects.stream(row), small, null, false);
        blocks.put(address, new Block(run, address, bytes, BlockState.INACTIVE));
      }
      case SEGMENT_MAP -> undoMap(row, address, bytes);
      case SEGMENT_UNMAP -> undoUnmap(row, address, bytes);
      case OOM -> evidence.failed(blocks, bytes, effects.stream(row));
      case SNAPSHOT -> {}
    }
  }

  private void undoAlloc(int row) {
    long address = effects.address(row);
    Block block = blocks.get(address);
    if (block == null || block.state == BlockState.INACTIVE) {
      contradict(row);
      return;
    }
    block.state = BlockState.INACTIVE;
    block.requestedBytes = 0;
    Block from = mergeWithNeighbours(block);
    if (!evidence.isEmpty()) {
      boolean isNew = row > 0 && effects.kind(row - 1) == EffectKind.SEGMENT_ALLOC;
      evidence.allocated(blocks, address, config.blockBytesFor(effects.bytes(row)), from, isNew);
    }
  }

  private Block mergeWithNeighbours(Block block) {
    Map.Entry<Long, Block> above = blocks.higherEntry(block.address);
    if (above != null && canMerge(block, above.getValue())) {
      blocks.remove(above.getKey());
      block.bytes += above.getValue().bytes;
    }
    Map.Entry<Long, Block> below = blocks.lowerEntry(block.address);
    if (below != null && canMerge(below.getValue(), block)) {
      blocks.remove(block.address);
      below.getValue().bytes += block.bytes;
      return below.getValue();
    }
    return block;
  }

  private static boolean canMerge(Block lower, Block upper) {
    return lower.end() == upper.address
        && lower.state == BlockState.INACTIVE
        && upper.state == BlockState.INACTIVE
        && lower.run.equals(upper.run);
  }

  private void undoFreeCompleted(int row, long address, long requestedBytes) {
    long bytes = config.blockBytesFor(requestedBytes);
    Block range = carve(address, bytes);
    if (range == null) {
      contradict(row);
      return;
    }
    range.state = BlockState.ACTIVE_PENDING_FREE;
    range.requestedBytes = requestedBytes;
    range.carved = true;
  }

  /**
   * Makes a free block with these bounds out of the free block around it; null if there is none.
   */
  private @Nullable Block carve(long address, long bytes) {
    Map.Entry<Long, Block> entry = blocks.floorEntry(address);
    if (entry == null || entry.getValue().state != BlockState.INACTIVE) {
      return null;
    }
    Block around = entry.getValue();
    long offset = address - around.address;
    if (Long.compareUnsigned(offset, around.bytes) >= 0 || bytes > around.bytes - offset) {
      return null;
    }
    long end = around.end();
    Block middle = new Block(around.run, address, bytes, BlockState.INACTIVE);
    if (around.address == address) {
      blocks.remove(address);
    } else {
      around.bytes = address - around.address;
    }
    blocks.put(address, middle);
    if (middle.end() != end) {
      Block rest = new Block(around.run, middle.end(), end - middle.end(), BlockState.INACTIVE);
      blocks.put(rest.address, rest);
    }
    return middle;
  }

  /** Nothing was in a segment before the device gave it, whatever the history shows later. */
  private void undoSegmentAlloc(int row, long address, long bytes) {
    Block block = blocks.get(address);
    if (block == null || block.state != BlockState.INACTIVE || block.bytes != bytes) {
      contradict(row);
      clear(row, address, bytes);
      return;
    }
    blocks.remove(address);
  }

  /** Nothing was in pages before they were mapped. */
  private void undoMap(int row, long address, long bytes) {
    Block block = carve(address, bytes);
    if (block == null) {
      contradict(row);
      clear(row, address, bytes);
      return;
    }
    blocks.remove(block.address);
  }

  private void undoUnmap(int row, long address, long bytes) {
    if (clear(row, address, bytes)) {
      contradict(row);
    }
    Block block = new Block(runOfPages(row, address), address, bytes, BlockState.INACTIVE);
    blocks.put(address, block);
    mergeWithNeighbours(block);
  }

  /**
   * Which pages share an address range with unmapped ones: the nearest of the stream and kind. A
   * private pool's are taken only nearby, because ranges lie far apart.
   */
  private Run runOfPages(int row, long address) {
    PageGroup group = new PageGroup(effects.stream(row), pageKinds.isSmall(row));
    TreeMap<Long, Run> runs =
        pageRuns.computeIfAbsent(group, key -> new TreeMap<>(Long::compareUnsigned));
    Map.Entry<Long, Run> below = runs.floorEntry(address);
    Map.Entry<Long, Run> above = runs.ceilingEntry(address);
    Map.Entry<Long, Run> nearest =
        above == null || (below != null && address - below.getKey() <= above.getKey() - address)
            ? below
            : above;
    Run run =
        nearest == null || !mayShareRange(nearest, address)
            ? new Run(0, group.stream(), group.small(), null, true)
            : nearest.getValue();
    runs.put(address, run);
    return run;
  }

  private static boolean mayShareRange(Map.Entry<Long, Run> pages, long address) {
    PoolId pool = pages.getValue().pool();
    return pool == null
        || pool.isDefault()
        || Math.abs(pages.getKey() - address) < MAX_PRIVATE_DISTANCE_BYTES;
  }

  /**
   * Gives blocks that were carved out the rest that was never split off. A rest of up to 1 MiB
   * cannot be a free block of the large pool; above that, the history must show where it ends.
   */
  private void restoreSlack(SlackEvidence undecided) {
    for (Block block : blocks()) {
      if (!block.carved || block.run.small() || block.run.expandable()) {
        continue;
      }
      Block gap = blocks.get(block.end());
      if (gap == null || gap.state != BlockState.INACTIVE || !gap.run.equals(block.run)) {
        continue;
      }
      if (gap.bytes <= SlackEvidence.maxSlackBytes(block, config)) {
        extend(block.address, gap.end());
      } else {
        undecided.watch(block, gap);
      }
    }
  }

  private void extend(long address, long end) {
    Block block = Objects.requireNonNull(blocks.get(address));
    if (end == block.end()) {
      return;
    }
    Block gap = Objects.requireNonNull(blocks.remove(block.end()));
    if (Long.compareUnsigned(end, gap.end()) < 0) {
      Block rest = new Block(gap.run, end, gap.end() - end, BlockState.INACTIVE);
      blocks.put(end, rest);
    }
    block.bytes = end - block.address;
  }
}
