package org.allocsim.workloads.source;

/**
 * A request that the recorded allocator could not serve.
 *
 * @param effect its place in the recorded history of its device
 * @param requestedBytes what the program asked for
 * @param reservedBytes what the allocator held from the device then
 * @param deviceFreeBytes what was free on the device then; negative where it was not recorded
 */
public record RecordedFailure(
    int effect, long requestedBytes, long reservedBytes, long deviceFreeBytes) {
  /** What the device could give the allocator at most then; negative where it is not known. */
  public long availableBytes() {
    return deviceFreeBytes < 0 ? -1 : reservedBytes + deviceFreeBytes;
  }
}
