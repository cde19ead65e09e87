package org.allocsim.validation.gpu.summary;

import org.apache.commons.math3.stat.interval.ConfidenceInterval;
import org.apache.commons.math3.stat.interval.WilsonScoreInterval;

/**
 * How many of some cases have a property, with the 95 % interval of Wilson's score for the share
 * that all cases of their kind have. The cases are taken to be independent of each other.
 *
 * @param part those that have it
 * @param whole all of them
 */
public record Share(long part, long whole) {
  private static final double CONFIDENCE = 0.95;

  /** Refuses a part that is larger than the whole. */
  public Share {
    if (part < 0 || part > whole) {
      throw new IllegalArgumentException(part + " of " + whole + " is not a fraction");
    }
  }

  /** The share, from 0 to 1; not a number without cases. */
  public double value() {
    return whole == 0 ? Double.NaN : (double) part / whole;
  }

  /** Lower end of the interval; not a number without cases. */
  public double low() {
    return whole == 0 ? Double.NaN : Math.clamp(interval().getLowerBound(), 0, 1);
  }

  /** Upper end of the interval; not a number without cases. */
  public double high() {
    return whole == 0 ? Double.NaN : Math.clamp(interval().getUpperBound(), 0, 1);
  }

  private ConfidenceInterval interval() {
    return new WilsonScoreInterval()
        .createInterval(Math.toIntExact(whole), Math.toIntExact(part), CONFIDENCE);
  }
}
