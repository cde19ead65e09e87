package org.allocsim.analysis.recording;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.Recording;

/** Whether a device may answer a replay as it answered the recorded program. */
public final class RecordedAnswers {
  /** What PyTorch's streams take beside what the allocator holds (2.11). */
  public static final long STREAM_BYTES = 16 * DeviceProfile.PAGE_BYTES;

  private RecordedAnswers() {}

  /**
   * Whether the recorded answers can hold: neither the limit nor a chosen device is too small for
   * what was recorded, with the streams that the program makes. A device that was chosen need not
   * refuse what the recorded one refused, so failed requests call for the model unless a limit
   * explains them.
   *
   * @param limitBytes the allocator's own limit, −1 without one
   * @param deviceChosen whether the device is not simply taken to be the recorded one
   */
  public static boolean canHold(
      OpenedTrace input, int device, long limitBytes, DeviceProfile profile, boolean deviceChosen) {
    if (input.recording().isEmpty()) {
      return false;
    }
    Recording recording = input.recording().get();
    long peakBytes = recording.peakBytes(device);
    boolean limited = limitBytes != MemoryLimit.NONE;
    // Expandable segments map whole pages, with which the recorded program itself may have passed
    // it.
    if (limited && peakBytes > limitBytes && limitBytes != recording.limitBytes(device)) {
      return false;
    }
    return !deviceChosen
        || (peakBytes + streamBytes(input.trace(), device) <= profile.capacityBytes()
            && (limited || recording.failureCount(device) == 0));
  }

  /** What PyTorch's streams take from the device beside the allocator. */
  static long streamBytes(AllocationTrace trace, int device) {
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) == device
          && trace.kind(event) == RequestKind.ALLOCATE
          && trace.streamHandle(trace.stream(event)) != 0) {
        return STREAM_BYTES;
      }
    }
    return 0;
  }
}
