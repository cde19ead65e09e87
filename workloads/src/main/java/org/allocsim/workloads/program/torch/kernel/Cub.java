package org.allocsim.workloads.program.torch.kernel;

/** Temporary memory of CUB's device-wide algorithms (CUB 3.0). */
public final class Cub {
  /** Alignment of each part of the temporary memory; as much is added for the whole. */
  private static final long ALIGNMENT = 256;

  /** Values of one radix digit. */
  private static final long DIGITS = 256;

  /** Keys of a tile of the one-sweep sort: 384 threads with 12 keys of 8 bytes each. */
  private static final long SORT_TILE_BYTES = 384 * 12 * 8;

  /** Elements of a tile of a scan. */
  private static final long SCAN_TILE = 4096;

  /** Tiles that come before the first, so that a look back needs no end. */
  private static final long SCAN_PADDING = 32;

  private Cub() {}

  private static long aligned(long bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  /** {@code DeviceRadixSort::SortPairs} over all bits of the keys. */
  public static long sortPairsBytes(long count, int keyBytes, int valueBytes) {
    long tile = SORT_TILE_BYTES / keyBytes;
    long tiles = (count + tile - 1) / tile;
    long bins = keyBytes * DIGITS * Long.BYTES;
    return aligned(bins)
        + aligned(tiles * DIGITS * Integer.BYTES)
        + aligned(count * keyBytes)
        + aligned(count * valueBytes)
        + aligned((long) keyBytes * Integer.BYTES)
        + ALIGNMENT
        - 1;
  }

  /** {@code DeviceSegmentedRadixSort::SortPairs}: the other half of both double buffers. */
  public static long segmentedSortPairsBytes(long count, int keyBytes, int valueBytes) {
    return aligned(count * keyBytes) + aligned(count * valueBytes) + ALIGNMENT - 1;
  }

  /** {@code DeviceScan} and {@code DeviceSelect::UniqueByKey} of 8-byte values. */
  public static long scanBytes(long count) {
    long tiles = (count + SCAN_TILE - 1) / SCAN_TILE;
    return aligned((tiles + SCAN_PADDING) * 2 * Long.BYTES) + ALIGNMENT + ALIGNMENT - 1;
  }
}
