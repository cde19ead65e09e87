package org.allocsim.analysis.suite;

import org.allocsim.analysis.moment.SlackSplit;

/**
 * Memory at one moment of a run.
 *
 * @param name of the program's marker
 * @param requestedBytes what the program holds, as it asked for it
 * @param allocatedBytes the blocks that hold it
 * @param reservedBytes what the allocator holds from the device
 * @param deviceFreeBytes what the device has left
 * @param driverNanos minimum time that calls of the driver took so far
 * @param slack where reserved and not allocated memory lies
 */
public record Moment(
    String name,
    long requestedBytes,
    long allocatedBytes,
    long reservedBytes,
    long deviceFreeBytes,
    long driverNanos,
    SlackSplit slack) {
  /** Reserved and not allocated. */
  public long slackBytes() {
    return reservedBytes - allocatedBytes;
  }
}
