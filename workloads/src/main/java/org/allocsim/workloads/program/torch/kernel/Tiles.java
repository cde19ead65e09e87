package org.allocsim.workloads.program.torch.kernel;

/**
 * How well products fill a GPU of 132 multiprocessors (Hopper). cuBLAS gives each multiprocessor a
 * tile of the result at a time; the last round of tiles takes as long as the others although some
 * multiprocessors have none (NVIDIA, "Matrix Multiplication Background User's Guide", wave and tile
 * quantization). Long sums are divided among tiles where that fills the last round better, and
 * results of less than one round always are.
 */
public final class Tiles {
  private static final long SIDE = 128;

  /** The shorter side of the smaller of the two shapes that are tried. */
  private static final long SHORT_SIDE = 64;

  /** Parts of a sum that are worth a division are this long at least; chosen. */
  private static final long MIN_SUM = 1_024;

  private static final long MAX_PARTS = 4;

  private Tiles() {}

  /** Operations of a product in whole rounds of whole tiles: what the GPU could do meanwhile. */
  public static long operations(long batch, long rows, long columns, long inner) {
    long needed = 2 * batch * rows * columns * inner;
    long least = Long.MAX_VALUE;
    for (long parts = 1; parts == 1 || parts * MIN_SUM <= inner && parts <= MAX_PARTS; parts++) {
      long part = divideUp(inner, parts);
      least = Math.min(least, inRounds(batch * parts, rows, columns, part, SIDE, SIDE));
      least = Math.min(least, inRounds(batch * parts, rows, columns, part, SIDE, SHORT_SIDE));
      least = Math.min(least, inRounds(batch * parts, rows, columns, part, SHORT_SIDE, SIDE));
    }
    return Math.max(needed, least);
  }

  /** Operations of the tiles of all rounds; 0 for less than one round. */
  private static long inRounds(
      long products, long rows, long columns, long inner, long height, long width) {
    long tiles = products * divideUp(rows, height) * divideUp(columns, width);
    if (tiles <= ReductionPlan.MULTIPROCESSORS) {
      return 0;
    }
    long rounds = divideUp(tiles, ReductionPlan.MULTIPROCESSORS);
    return 2 * rounds * ReductionPlan.MULTIPROCESSORS * height * width * inner;
  }

  private static long divideUp(long amount, long part) {
    return (amount + part - 1) / part;
  }
}
