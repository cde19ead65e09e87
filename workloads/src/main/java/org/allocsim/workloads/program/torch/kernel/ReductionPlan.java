package org.allocsim.workloads.program.torch.kernel;

/**
 * How PyTorch divides a reduction among thread blocks ({@code setReduceConfig} in Reduce.cuh): only
 * where several blocks work on one result do they need memory for parts and for their turns.
 *
 * @param partsBytes memory for partial results, 0 where there are none
 * @param turnsBytes memory for the counters with which blocks take turns
 */
public record ReductionPlan(long partsBytes, long turnsBytes) {
  private static final int MAX_THREADS = 512;
  private static final int WARP = 32;
  private static final int VECTOR = 4;
  private static final int MIN_VALUES = 16;
  private static final int MAX_VALUES = 256;
  public static final int MULTIPROCESSORS = 132;
  private static final int THREADS_PER_MULTIPROCESSOR = 2048;

  private static final ReductionPlan WITHOUT_MEMORY = new ReductionPlan(0, 0);

  /**
   * The plan of a reduction.
   *
   * @param inputs values reduced into one result
   * @param outputs results
   * @param fastest whether the values of one result lie side by side
   * @param whole whether everything is reduced into one result
   * @param accumulatorBytes bytes of a partial result
   */
  public static ReductionPlan of(
      long inputs, long outputs, boolean fastest, boolean whole, int accumulatorBytes) {
    if (inputs == 0 || outputs == 0) {
      return WITHOUT_MEMORY;
    }
    long width = fastest ? inputs : outputs;
    long height = fastest ? outputs : inputs;
    int outputVector = 1;
    if (fastest) {
      if (width > 128 && whole) {
        width /= VECTOR;
      }
    } else {
      outputVector = VECTOR;
      while (outputs % outputVector != 0) {
        outputVector /= 2;
      }
      width /= outputVector;
    }
    int most = MAX_THREADS / outputVector;
    int widthPower = width < most ? (int) Long.highestOneBit(Math.max(1, width)) : most;
    int heightPower = height < most ? (int) Long.highestOneBit(Math.max(1, height)) : most;
    int blockWidth = Math.min(widthPower, WARP);
    int blockHeight = Math.min(heightPower, most / blockWidth);
    blockWidth = Math.min(widthPower, most / blockHeight);

    long stepInput = 1;
    long stepOutput = 1;
    if (fastest) {
      stepInput *= blockWidth;
    } else {
      stepOutput *= blockWidth;
    }
    boolean acrossWarps = divideUp(inputs, stepInput) >= Math.min(blockHeight * 16, MAX_VALUES);
    if (acrossWarps) {
      stepInput *= blockHeight;
    } else {
      stepOutput *= blockHeight;
    }
    long values = divideUp(inputs, stepInput);
    long grid = divideUp(outputs / outputVector, stepOutput);
    int threads = blockWidth * blockHeight;
    long target = (long) MULTIPROCESSORS * (THREADS_PER_MULTIPROCESSOR / threads);
    if (!acrossWarps || values < MAX_VALUES || grid > target) {
      return WITHOUT_MEMORY;
    }
    long blocks =
        Math.max(
            Math.min(divideUp(target, grid), divideUp(values, MIN_VALUES)),
            divideUp(values, MAX_VALUES));
    if (blocks <= 1) {
      return WITHOUT_MEMORY;
    }
    long parts = accumulatorBytes * outputs * blocks;
    if (!fastest) {
      parts *= (long) blockWidth * outputVector;
    }
    return new ReductionPlan(parts, 4 * grid);
  }

  private static long divideUp(long value, long divisor) {
    return (value + divisor - 1) / divisor;
  }
}
