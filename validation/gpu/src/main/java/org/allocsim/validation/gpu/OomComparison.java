package org.allocsim.validation.gpu;

import java.util.List;

/**
 * Failed requests, predicted and real. Requests are counted from 0 among the allocation requests
 * after the prologue; −1 stands for none.
 *
 * @param predictedFirst first request that was predicted to fail
 * @param measuredFirst first request that failed
 * @param predictedCount how many were predicted to fail
 * @param measuredCount how many failed
 * @param same whether the same requests failed
 */
public record OomComparison(
    long predictedFirst,
    long measuredFirst,
    long predictedCount,
    long measuredCount,
    boolean same) {

  /** Cells of the confusion table. */
  public enum Verdict {
    /** Nothing was predicted to fail, and nothing did. */
    NEITHER,
    /** A failure was predicted and came at the same request. */
    SAME_REQUEST,
    /** A failure was predicted and came at another request. */
    OTHER_REQUEST,
    /** A failure was predicted, and nothing failed. */
    PREDICTED_ONLY,
    /** A request failed and none was predicted to. */
    MEASURED_ONLY
  }

  static OomComparison of(List<Long> predicted, List<Long> measured) {
    return new OomComparison(
        predicted.isEmpty() ? -1 : predicted.getFirst(),
        measured.isEmpty() ? -1 : measured.getFirst(),
        predicted.size(),
        measured.size(),
        predicted.equals(measured));
  }

  /** Where the first failures stand in the confusion table. */
  public Verdict verdict() {
    if (predictedCount == 0 || measuredCount == 0) {
      return predictedCount == measuredCount
          ? Verdict.NEITHER
          : predictedCount > 0 ? Verdict.PREDICTED_ONLY : Verdict.MEASURED_ONLY;
    }
    return predictedFirst == measuredFirst ? Verdict.SAME_REQUEST : Verdict.OTHER_REQUEST;
  }
}
