package org.allocsim.analysis.moment;

import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.run.FailedRequest;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a program at one moment.
 *
 * @param kind what happens then
 * @param requestIndex index of the last allocation request that was made, −1 before the first
 * @param timeNanos time of the last request, in nanoseconds of the recording's clock
 * @param elapsedNanos time since the program's first request
 * @param bytes the totals
 * @param stream number of the stream that made the last request, or the one that holds the most
 *     memory where no request leads to the moment
 * @param layout segments and blocks
 * @param slack where reserved memory that is not allocated lies
 * @param deviceFreeBytes free bytes of the device, −1 where they are not known
 * @param collectivesBytes what NCCL holds of a simulated device, −1 where no device is simulated
 * @param failure for {@link MomentQuery.Kind#FIRST_OOM} the request that failed, else null
 */
public record MemoryMoment(
    MomentQuery.Kind kind,
    long requestIndex,
    long timeNanos,
    long elapsedNanos,
    Totals bytes,
    int stream,
    MemoryLayout layout,
    SlackSplit slack,
    long deviceFreeBytes,
    long collectivesBytes,
    @Nullable FailedRequest failure) {

  /**
   * Memory in bytes, each amount a part of the one after it.
   *
   * @param requestedBytes what the program asked for, of the blocks that it holds
   * @param allocatedBytes blocks that the program holds, after rounding
   * @param reservedBytes memory held from the device
   * @param awaitingRequestedBytes what the program asked for, of blocks that await their free
   */
  public record Totals(
      long requestedBytes, long allocatedBytes, long reservedBytes, long awaitingRequestedBytes) {
    public static Totals of(MemoryLayout layout) {
      long requested = 0;
      long allocated = 0;
      long reserved = 0;
      long awaiting = 0;
      for (int segment = 0; segment < layout.segmentCount(); segment++) {
        reserved += layout.segmentBytes(segment);
      }
      for (int block = 0; block < layout.blockCount(); block++) {
        if (layout.state(block) == BlockState.ACTIVE_ALLOCATED) {
          requested += layout.requestedBytes(block);
          allocated += layout.blockBytes(block);
        } else if (layout.state(block) == BlockState.ACTIVE_PENDING_FREE) {
          awaiting += layout.requestedBytes(block);
        }
      }
      return new Totals(requested, allocated, reserved, awaiting);
    }

    /** Lost to rounding. */
    public long roundingBytes() {
      return allocatedBytes - requestedBytes;
    }

    /** Reserved and not allocated. */
    public long slackBytes() {
      return reservedBytes - allocatedBytes;
    }
  }

  /** The stream whose segments hold the most memory; the lowest number of several. */
  public static int mainStream(MemoryLayout layout) {
    int streams = 1;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      streams = Math.max(streams, layout.stream(segment) + 1);
    }
    long[] bytes = new long[streams];
    int main = 0;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      bytes[layout.stream(segment)] += layout.segmentBytes(segment);
    }
    for (int stream = 1; stream < streams; stream++) {
      main = bytes[stream] > bytes[main] ? stream : main;
    }
    return main;
  }
}
