package org.allocsim.reports.chart.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.stats.ByteFormat;

/**
 * Segments and their blocks at one moment, laid out in rows of equally many bytes: a segment that
 * is longer than a row goes on in the next one, shorter ones share rows, the largest first. Every
 * block has a category; all reserved bytes are in the map.
 */
public final class SegmentMapData {
  public static final String RELEASABLE = "free, whole segment";

  /** Category of free blocks of segments that are in use. */
  public static final String STUCK = "free, in a segment in use";

  /** Category of blocks that were given back and are in use on other streams. */
  public static final String AWAITING = "waiting to be freed on another stream";

  private static final int MAX_ROWS = 40;
  private static final int MAX_ASKED_ROWS = 8;
  private static final long MIN_ROW_BYTES = 2L << 20;

  /** A segment up to this size is never cut: PyTorch's are of 20 MiB, unless more is asked for. */
  private static final long WHOLE_BYTES = 32L << 20;

  private final List<String> categories;
  private final long[] categoryBytes;
  private final int[] categoryBlocks;
  private final List<String> rowLabels = new ArrayList<>();
  private final List<Piece> segments = new ArrayList<>();
  private final List<Piece> blocks = new ArrayList<>();
  private final long rowBytes;
  private final List<Piece> asked = new ArrayList<>();
  private long askedBytes;

  /**
   * A part of a segment or of a block that lies in one row.
   *
   * @param fromByte where it begins in the row
   * @param category of a block; −1 for a segment
   */
  public record Piece(int row, long fromByte, long bytes, int category) {}

  private SegmentMapData(List<String> categories, long rowBytes) {
    this.categories = List.copyOf(categories);
    this.rowBytes = rowBytes;
    categoryBytes = new long[categories.size()];
    categoryBlocks = new int[categories.size()];
  }

  /** Coloured by what a block is: handed out, awaiting its free, or free. */
  public static SegmentMapData byState(MemoryLayout layout) {
    return of(layout, List.of("allocated"), _ -> 0);
  }

  /**
   * Lays a layout out.
   *
   * @param categories names of the categories of allocated blocks
   * @param category of each allocated block, by its number
   */
  public static SegmentMapData of(
      MemoryLayout layout, List<String> categories, IntUnaryOperator category) {
    List<String> all = new ArrayList<>(categories);
    all.addAll(List.of(AWAITING, STUCK, RELEASABLE));
    SegmentMapData data = new SegmentMapData(all, rowBytes(layout));
    int[] categoryOf = new int[layout.blockCount()];
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      int first = layout.firstBlock(segment);
      int end = layout.firstBlock(segment + 1);
      boolean whole = end == first + 1 && layout.state(first) == BlockState.INACTIVE;
      for (int block = first; block < end; block++) {
        categoryOf[block] =
            switch (layout.state(block)) {
              case ACTIVE_ALLOCATED -> category.applyAsInt(block);
              case ACTIVE_PENDING_FREE -> categories.size();
              case INACTIVE -> categories.size() + (whole ? 2 : 1);
            };
      }
    }
    data.lay(layout, categoryOf);
    return data;
  }

  /** The smallest power of two with which the map has few rows and short segments stay whole. */
  private static long rowBytes(MemoryLayout layout) {
    long longest = 0;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      longest = Math.max(longest, Math.min(WHOLE_BYTES, layout.segmentBytes(segment)));
    }
    long bytes = MIN_ROW_BYTES;
    while (bytes < longest) {
      bytes *= 2;
    }
    while (bytes < Long.MAX_VALUE / 2 && rows(layout, bytes) > MAX_ROWS) {
      bytes *= 2;
    }
    return bytes;
  }

  private static long rows(MemoryLayout layout, long rowBytes) {
    long rows = 0;
    long shared = 0;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      long bytes = layout.segmentBytes(segment);
      if (bytes > rowBytes) {
        rows += (bytes + rowBytes - 1) / rowBytes;
      } else {
        shared += bytes;
      }
    }
    // Shared rows keep a rest that no segment fits into.
    return rows + (shared + rowBytes - 1) / rowBytes;
  }

  private void lay(MemoryLayout layout, int[] categoryOf) {
    Integer[] order = new Integer[layout.segmentCount()];
    Arrays.setAll(order, i -> i);
    Arrays.sort(
        order,
        Comparator.comparingLong((Integer segment) -> -layout.segmentBytes(segment))
            .thenComparing(segment -> segment));
    int row = -1;
    long filled = rowBytes;
    int sharing = 0;
    long sharedBytes = 0;
    for (int segment : order) {
      long bytes = layout.segmentBytes(segment);
      if (bytes > rowBytes) {
        int rows = (int) ((bytes + rowBytes - 1) / rowBytes);
        for (int i = 0; i < rows; i++) {
          rowLabels.add(i == 0 ? label(layout, segment) : "");
        }
        place(layout, segment, row + 1, 0, categoryOf);
        row += rows;
      } else {
        if (filled + bytes > rowBytes || sharing == 0) {
          row++;
          filled = 0;
          sharing = 0;
          sharedBytes = 0;
          rowLabels.add("");
        }
        place(layout, segment, row, filled, categoryOf);
        filled += bytes;
        sharing++;
        sharedBytes += bytes;
        rowLabels.set(
            row,
            sharing == 1
                ? label(layout, segment)
                : ByteFormat.human(sharedBytes) + " in " + sharing);
      }
    }
  }

  private static String label(MemoryLayout layout, int segment) {
    return ByteFormat.human(layout.segmentBytes(segment))
        + " at 0x"
        + Long.toHexString(layout.segmentAddress(segment));
  }

  /**
   * Draws a request that failed below the segments, as long as they are.
   *
   * @param bytes what it asked for; where that is more than some rows, only its begin is drawn
   */
  public void ask(long bytes) {
    long rows = Math.min(MAX_ASKED_ROWS, Math.ceilDiv(bytes, rowBytes));
    askedBytes = bytes;
    cut(asked, rowLabels.size(), 0, Math.min(bytes, rows * rowBytes), -1);
    for (long row = 0; row < rows; row++) {
      rowLabels.add(row == 0 ? "asked for: " + ByteFormat.human(bytes) : "");
    }
  }

  private void place(MemoryLayout layout, int segment, int row, long offset, int[] categoryOf) {
    cut(segments, row, offset, layout.segmentBytes(segment), -1);
    long start = layout.segmentAddress(segment);
    for (int block = layout.firstBlock(segment); block < layout.firstBlock(segment + 1); block++) {
      long bytes = layout.blockBytes(block);
      int category = categoryOf[block];
      categoryBytes[category] += bytes;
      categoryBlocks[category]++;
      cut(blocks, row, offset + layout.blockAddress(block) - start, bytes, category);
    }
  }

  private void cut(List<Piece> pieces, int firstRow, long offset, long bytes, int category) {
    long from = offset;
    long end = offset + bytes;
    while (from < end) {
      long row = from / rowBytes;
      long to = Math.min(end, (row + 1) * rowBytes);
      pieces.add(new Piece(firstRow + (int) row, from - row * rowBytes, to - from, category));
      from = to;
    }
  }

  /** Names of the categories. */
  public List<String> categories() {
    return categories;
  }

  /** Bytes of the blocks of a category. */
  public long bytes(int category) {
    return categoryBytes[category];
  }

  /** Number of blocks of a category. */
  public int blocks(int category) {
    return categoryBlocks[category];
  }

  public long rowBytes() {
    return rowBytes;
  }

  /** What stands left of each row. */
  public List<String> rowLabels() {
    return List.copyOf(rowLabels);
  }

  /** Segments, cut at the ends of rows. */
  List<Piece> segmentPieces() {
    return List.copyOf(segments);
  }

  /** The request that failed, cut at the ends of rows; empty without one. */
  List<Piece> askedPieces() {
    return List.copyOf(asked);
  }

  /** What the request that failed asked for; 0 without one. */
  long askedBytes() {
    return askedBytes;
  }

  /** Blocks, cut at the ends of rows, in the order of their places. */
  public List<Piece> blockPieces() {
    return List.copyOf(blocks);
  }
}
