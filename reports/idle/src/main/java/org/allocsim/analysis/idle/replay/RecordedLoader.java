package org.allocsim.analysis.idle.replay;

import java.util.Arrays;

/**
 * The data loader of a program with other workers than it had: each worker prepares one batch after
 * the other, at most {@code prefetch} for each worker ahead of the program, which takes them in
 * their order.
 */
final class RecordedLoader {
  private final long[] serviceNanos;
  private final long[] doneNanos;
  private final long[] readyNanos;
  private long taken;
  private long prepared;

  /**
   * A loader whose workers begin at a moment.
   *
   * @param serviceNanos what a worker needs for a batch; repeats
   */
  RecordedLoader(long[] serviceNanos, int workers, int prefetch, long beginNanos) {
    this.serviceNanos = serviceNanos;
    doneNanos = new long[workers];
    Arrays.fill(doneNanos, beginNanos);
    readyNanos = new long[workers * prefetch];
    for (int batch = 0; batch < readyNanos.length; batch++) {
      prepare(beginNanos);
    }
  }

  /** Takes the next batch; when it is there. */
  long take(long nowNanos) {
    long when = Math.max(nowNanos, readyNanos[(int) (taken++ % readyNanos.length)]);
    prepare(when);
    return when;
  }

  private void prepare(long givenNanos) {
    int worker = (int) (prepared % doneNanos.length);
    doneNanos[worker] =
        Math.max(doneNanos[worker], givenNanos)
            + serviceNanos[(int) (prepared % serviceNanos.length)];
    readyNanos[(int) (prepared % readyNanos.length)] = doneNanos[worker];
    prepared++;
  }
}
