package org.allocsim.analysis.moment;

import org.allocsim.simulator.run.RunResult;

/**
 * What the reserved bytes of one moment are made of; the parts add up to them.
 *
 * @param requestedBytes what the program asked for, of the blocks that it holds
 * @param roundingBytes the rest of these blocks
 * @param awaitingBytes blocks that were given back and await the end of their use on other streams
 * @param stuckBytes free parts of segments in use
 * @param releasableBytes segments, and pages of expandable segments, that are free as a whole
 * @param otherStreamsBytes free memory that is cached for streams other than the busiest one
 * @param privatePoolsBytes free memory of private pools
 * @param inAdvanceBytes all free memory, instead of the four before, of a policy that took its peak
 *     before the program held a hundredth of what it holds at most, or in the first hundredth of a
 *     program that held more later: where it lies shows nothing
 */
public record ReservedParts(
    long requestedBytes,
    long roundingBytes,
    long awaitingBytes,
    long stuckBytes,
    long releasableBytes,
    long otherStreamsBytes,
    long privatePoolsBytes,
    long inAdvanceBytes) {
  static final long EARLY = 100;

  /**
   * Parts of a moment.
   *
   * @param isEarly whether the moment is in the first hundredth of the program
   * @param peakRequestedBytes what the program holds at most
   * @param slack where its free bytes lie; what no free block shows counts as stuck, as some
   *     policies keep memory that they cannot name
   */
  static ReservedParts of(
      RunResult.Moment moment, boolean isEarly, long peakRequestedBytes, SlackSplit slack) {
    // Requested bytes include those of blocks that await their free.
    long requestedBytes = Math.min(moment.requestedBytes(), moment.allocatedBytes());
    long roundingBytes = moment.allocatedBytes() - requestedBytes;
    long awaitingBytes = moment.activeBytes() - moment.allocatedBytes();
    boolean heldMoreLater = requestedBytes < peakRequestedBytes;
    if (requestedBytes < peakRequestedBytes / EARLY || (isEarly && heldMoreLater)) {
      return new ReservedParts(
          requestedBytes, roundingBytes, awaitingBytes, 0, 0, 0, 0, moment.externalBytes());
    }
    long otherStreamsBytes = slack.otherReleasableBytes() + slack.otherStuckBytes();
    long namedBytes = slack.releasableBytes() + otherStreamsBytes + slack.privateBytes();
    return new ReservedParts(
        requestedBytes,
        roundingBytes,
        awaitingBytes,
        Math.max(0, moment.externalBytes() - namedBytes),
        slack.releasableBytes(),
        otherStreamsBytes,
        slack.privateBytes(),
        0);
  }
}
