package org.allocsim.analysis.recording;

import java.util.Optional;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.Recording;

/**
 * What an allocator held when its recording began, in the middle of the program. The recorded
 * allocator keeps it all; under other settings it would hold other segments, which nobody knows, so
 * that a model begins with the blocks alone.
 *
 * @param reservedBytes what it held from the device
 * @param usedBytes the part that was in use
 */
public record LateStart(long reservedBytes, long usedBytes) {
  /** That of a trace; empty where a recording begins with the program, or there is none. */
  public static Optional<LateStart> of(DeviceTrace input) {
    if (input.recording().isEmpty()) {
      return Optional.empty();
    }
    Recording recording = input.recording().get();
    long reservedBytes = recording.startBytes(input.device());
    MemoryLayout layout = recording.start(input.device());
    long usedBytes = 0;
    for (int block = 0; block < layout.blockCount(); block++) {
      usedBytes += layout.state(block) == BlockState.INACTIVE ? 0 : layout.blockBytes(block);
    }
    return reservedBytes <= 0
        ? Optional.empty()
        : Optional.of(new LateStart(reservedBytes, usedBytes));
  }
}
