package org.allocsim.analysis.fleet.sweep;

/** Hears how far a sweep is. Methods are called by one thread at a time. */
public interface SweepListener {
  /**
   * The sweep begins.
   *
   * @param files traces
   * @param runs about how many runs there will be
   */
  void begins(int files, long runs);

  /**
   * Something was finished.
   *
   * @param files traces so far
   * @param runs runs so far, those of earlier sweeps included
   */
  void finished(int files, long runs);
}
