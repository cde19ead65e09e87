package org.allocsim.workloads.format.pytorch;

import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.jspecify.annotations.Nullable;

/**
 * What {@code allocsim record} adds to a snapshot under the key {@code allocsim_record}: certain
 * where a snapshot alone leaves to infer.
 *
 * @param release the release that recorded; null where this program does not know it
 * @param devices GPUs by their number
 * @param lostCalls calls that are not in the file any more, because there were too many
 */
public record RecordedFacts(
    @Nullable PyTorchVersion release, List<Device> devices, long lostCalls) {

  /** Keeps its own copy. */
  public RecordedFacts {
    devices = List.copyOf(devices);
  }

  /** The facts of a device, if it was recorded. */
  public Optional<Device> device(int device) {
    return devices.stream().filter(each -> each.device() == device).findFirst();
  }

  /**
   * A GPU.
   *
   * @param device its number in the process
   * @param name its name as the driver has it
   * @param totalBytes its memory, as PyTorch counts it
   * @param limitBytes the allocator's own limit, {@link MemoryLimit#NONE} without one
   * @param isLimitSteady whether the limit was the same from the first to the last entry
   * @param end where the history ends
   * @param emptiedCaches where the program emptied the cache, in the order of the calls
   * @param streamUses calls of {@code Tensor.record_stream}, in their order
   */
  public record Device(
      int device,
      String name,
      long totalBytes,
      long limitBytes,
      boolean isLimitSteady,
      Position end,
      List<Position> emptiedCaches,
      List<StreamUse> streamUses) {
    /** Keeps its own copy. */
    public Device {
      emptiedCaches = List.copyOf(emptiedCaches);
      streamUses = List.copyOf(streamUses);
    }
  }

  /**
   * A block was used on another stream than its own.
   *
   * @param address its address
   * @param timeNanos when, on the clock of the history
   */
  public record StreamUse(long address, long timeNanos) {}

  /**
   * A place in a history: how many entries of each kind came before it, since the process began.
   *
   * @param allocations entries of allocations
   * @param frees entries of requested frees
   * @param completions entries of completed frees
   * @param failures entries of failed requests
   */
  public record Position(long allocations, long frees, long completions, long failures) {}
}
