package org.allocsim.analysis.advice;

/**
 * The memory that a program is to fit.
 *
 * @param limitBytes the limit
 * @param isChosen whether it was asked for, and is not what the GPU gives
 * @param marginRatio the share of it that is to stay free
 */
public record Goal(long limitBytes, boolean isChosen, double marginRatio) {
  /** Whether a program fits. */
  public enum Fit {
    /** Under its own settings. */
    YES,
    /** Under other settings of PyTorch's allocator. */
    WITH_SETTINGS,
    /** Not at all. */
    NO
  }

  /** Refuses a limit or a share that is out of range. */
  public Goal {
    if (limitBytes <= 0 || !(marginRatio >= 0 && marginRatio < 1)) {
      throw new IllegalArgumentException(
          "no goal: " + limitBytes + " bytes, margin " + marginRatio);
    }
  }

  /** The memory that may be reserved at most. */
  public long goalBytes() {
    return (long) (limitBytes * (1 - marginRatio));
  }

  /**
   * Whether a run fits: what it reserves leaves the margin free, and the upper end of the estimate
   * is within the limit. Memory that grows with each step fits nothing.
   */
  public Fit fit(Trial.Outcome outcome) {
    Long highBytes = outcome.highBytes();
    if (highBytes == null) {
      return Fit.NO;
    }
    double above = (double) highBytes / Math.max(1, outcome.reservedBytes());
    if (fits(outcome.reservedBytes(), above)) {
      return Fit.YES;
    }
    return fits(outcome.bestReservedBytes(), above) ? Fit.WITH_SETTINGS : Fit.NO;
  }

  private boolean fits(long reservedBytes, double above) {
    return reservedBytes <= goalBytes() && reservedBytes * above <= limitBytes;
  }
}
