package org.allocsim.analysis.serving;

/**
 * What came of serving requests with one cache. Means are over the time in which steps ran, but for
 * mapped memory, whose mean is over all time.
 *
 * @param cache the cache
 * @param mostTokens tokens of the longest sequence for which it has room
 * @param served requests that were answered
 * @param rejected requests that could never run: their prompt is too long
 * @param cut answers that ended early because the sequence became too long
 * @param preemptions sequences that were thrown out for lack of room and began again
 * @param recomputedTokens tokens that were computed again after that
 * @param promptTokens tokens of all prompts that began
 * @param hitTokens those that were found stored
 * @param outputTokens tokens of answers
 * @param guessedTokens tokens that were guessed and computed
 * @param acceptedTokens those of them that were right and part of an answer
 * @param steps steps of the engine
 * @param busyNanos time of all steps
 * @param endNanos when the last answer was complete, after the first request
 * @param meanRunning sequences that ran together
 * @param mostRunning most of them
 * @param meanFirstTokenNanos time from a request to its answer's first token
 * @param lateFirstTokenNanos the time that 99 of 100 requests do not exceed
 * @param memory what it held
 * @param driver what the driver did
 */
public record ServingResult(
    CacheChoice cache,
    int mostTokens,
    int served,
    int rejected,
    int cut,
    long preemptions,
    long recomputedTokens,
    long promptTokens,
    long hitTokens,
    long outputTokens,
    long guessedTokens,
    long acceptedTokens,
    long steps,
    long busyNanos,
    long endNanos,
    double meanRunning,
    int mostRunning,
    long meanFirstTokenNanos,
    long lateFirstTokenNanos,
    Memory memory,
    Driver driver) {

  /**
   * What a cache held.
   *
   * @param capacityBytes memory that it may take
   * @param heldBytes mean of what running sequences held
   * @param peakHeldBytes most of it
   * @param wastedBytes mean of what they held without a token that will be read (internal waste)
   * @param strandedBytes mean of what nobody held and not every sequence could have (external)
   * @param keptBytes mean of what nobody held and that kept prefixes
   * @param mappedBytes mean of what it had from the GPU
   * @param peakMappedBytes most of it
   * @param tokens mean number of tokens of running sequences
   */
  public record Memory(
      long capacityBytes,
      double heldBytes,
      long peakHeldBytes,
      double wastedBytes,
      double strandedBytes,
      double keptBytes,
      double mappedBytes,
      long peakMappedBytes,
      double tokens) {}

  /**
   * What the driver did.
   *
   * @param mapCalls handles that were mapped
   * @param unmapCalls handles that were unmapped
   * @param nanos time of these calls
   * @param waitedNanos the part of it for which steps waited
   */
  public record Driver(long mapCalls, long unmapCalls, long nanos, long waitedNanos) {}
}
