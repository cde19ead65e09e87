package org.allocsim.simulator.timing;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.allocsim.simulator.trace.Loader;

/**
 * When a data loader's batches are ready. Batch k is prepared by worker k modulo workers, once that
 * worker has its batch before done and the program has taken batch k − workers × prefetch (PyTorch
 * 2.11, {@code _MultiProcessingDataLoaderIter}: that is when the next index is handed out). Workers
 * begin when the program first asks.
 */
final class LoaderQueue {
  private final Loader loader;
  private final SplittableRandom random;

  /** When each worker has done what it was given so far. */
  private final long[] doneNanos;

  /** When the last batches that may be ahead are ready, by batch number modulo their count. */
  private final long[] readyNanos;

  private long taken = -1;

  LoaderQueue(Loader loader) {
    this.loader = loader;
    random = new SplittableRandom(loader.seed());
    doneNanos = new long[Math.max(1, loader.workers())];
    readyNanos = new long[Math.max(1, Math.multiplyExact(loader.workers(), loader.prefetch()))];
  }

  /** Whether the program itself prepares the batches. */
  boolean isInProgram() {
    return loader.workers() == 0;
  }

  /**
   * The program takes the next batch.
   *
   * @param nowNanos when it asks
   * @return when it has the batch
   */
  long take(long nowNanos) {
    if (isInProgram()) {
      return nowNanos + batchNanos();
    }
    if (taken < 0) {
      Arrays.fill(doneNanos, nowNanos);
      for (int batch = 0; batch < readyNanos.length; batch++) {
        prepare(batch, nowNanos);
      }
      taken = 0;
    }
    int place = (int) (taken % readyNanos.length);
    long when = Math.max(nowNanos, readyNanos[place]);
    prepare(taken + readyNanos.length, when);
    taken++;
    return when;
  }

  private void prepare(long batch, long givenNanos) {
    int worker = (int) (batch % doneNanos.length);
    doneNanos[worker] = Math.max(doneNanos[worker], givenNanos) + batchNanos();
    readyNanos[(int) (batch % readyNanos.length)] = doneNanos[worker];
  }

  private long batchNanos() {
    return loader.spreadNanos() == 0
        ? loader.batchNanos()
        : loader.batchNanos() + random.nextLong(-loader.spreadNanos(), loader.spreadNanos() + 1);
  }
}
