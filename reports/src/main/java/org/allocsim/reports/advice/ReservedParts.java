package org.allocsim.reports.advice;

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
 */
public record ReservedParts(
    long requestedBytes,
    long roundingBytes,
    long awaitingBytes,
    long stuckBytes,
    long releasableBytes,
    long otherStreamsBytes,
    long privatePoolsBytes) {

  /**
   * Parts of a moment.
   *
   * @param slack where its free bytes lie; what no free block shows counts as stuck, as some
   *     policies keep memory that they cannot name
   */
  static ReservedParts of(PolicyResult.Moment moment, SlackSplit slack) {
    // Requested bytes include those of blocks that await their free.
    long requestedBytes = Math.min(moment.requestedBytes(), moment.allocatedBytes());
    long otherStreamsBytes = slack.otherReleasableBytes() + slack.otherStuckBytes();
    long namedBytes = slack.releasableBytes() + otherStreamsBytes + slack.privateBytes();
    return new ReservedParts(
        requestedBytes,
        moment.allocatedBytes() - requestedBytes,
        moment.activeBytes() - moment.allocatedBytes(),
        Math.max(0, moment.externalBytes() - namedBytes),
        slack.releasableBytes(),
        otherStreamsBytes,
        slack.privateBytes());
  }

  /** All of them. */
  public long totalBytes() {
    return requestedBytes
        + roundingBytes
        + awaitingBytes
        + stuckBytes
        + releasableBytes
        + otherStreamsBytes
        + privatePoolsBytes;
  }
}
