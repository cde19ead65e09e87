package org.allocsim.simulator.run;

import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.stats.MemoryStats;

/**
 * Notes what was held at the fullest moment of the highest reservation: of all moments at which
 * reserved memory has its highest value the first with the most allocated bytes. Moments are those
 * between two requests; where the allocator returned memory within the request that took it to its
 * peak, also the one right before it did. It hears of segments only and reads the rest from the
 * statistics, which must hear first.
 */
final class PeakMoment implements EffectListener {
  private final MemoryStats stats;
  private long reservedBytes;
  private long peakBytes;

  /** Whether the peak rose since the last look, so that the moment is still to be noted. */
  private boolean rose;

  private int row = -1;
  private RunResult.Moment moment = new RunResult.Moment(0, 0, 0, 0);

  PeakMoment(MemoryStats stats) {
    this.stats = stats;
  }

  /** Memory was there before the first request. */
  void startWith(long bytes) {
    reservedChanged(bytes);
    look(-1);
  }

  /** The request of a row was served. */
  void look(int servedRow) {
    if (rose) {
      if (reservedBytes == peakBytes) {
        note();
      }
      rose = false;
      row = servedRow;
    } else if (reservedBytes == peakBytes && stats.allocatedBytes() > moment.allocatedBytes()) {
      note();
      row = servedRow;
    }
  }

  /** Row after whose request, or within which, that was, −1 before the first. */
  int row() {
    return row;
  }

  /** What was held then. */
  RunResult.Moment moment() {
    return moment;
  }

  private void note() {
    moment =
        new RunResult.Moment(
            stats.requestedBytes(), stats.allocatedBytes(), stats.activeBytes(), reservedBytes);
  }

  @Override
  public void reservedChanged(long bytes) {
    if (bytes < 0 && rose && reservedBytes == peakBytes) {
      note();
    }
    reservedBytes += bytes;
    if (reservedBytes > peakBytes) {
      peakBytes = reservedBytes;
      rose = true;
    }
  }

  @Override
  public boolean followsBlocks() {
    return false;
  }
}
