package org.allocsim.workloads.format.pytorch.derive;

import java.util.List;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.device.simulated.AddressHistoryFinder;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * The requests of a snapshot's history, separated from their effects.
 *
 * @param trace the requests; its stream numbers are those of the snapshot
 * @param starts per device the layout at the start of its history, empty where it began with
 *     nothing
 * @param limits per device what the allocator was allowed to reserve, as reported or as inferred
 *     from its failures
 * @param unexplained per device entries from the first on that contradicts the allocator's rules
 * @param inferences what the history does not say and was inferred
 */
public record DerivedRequests(
    AllocationTrace trace,
    List<DeviceStart> starts,
    List<Limit> limits,
    List<Long> unexplained,
    List<Inference> inferences) {
  /** Keeps its own copies. */
  public DerivedRequests {
    starts = List.copyOf(starts);
    limits = List.copyOf(limits);
    unexplained = List.copyOf(unexplained);
    inferences = List.copyOf(inferences);
  }

  /** What the allocator was allowed to reserve on a device; −1 where no limit is known. */
  public long limitBytes(int device) {
    return limits.get(device).bytes();
  }

  /**
   * The least that this may have been, where the history shows no more than that it was between two
   * sizes; what it was where that is known.
   */
  public long minLimitBytes(int device) {
    return limits.get(device).minBytes();
  }

  /** Entries of all devices that are not explained. */
  public long unexplainedEntries() {
    return unexplained.stream().mapToLong(Long::longValue).sum();
  }

  /** How often something was inferred on a device. */
  long inferred(int device, String subject) {
    return inferences.stream()
        .filter(each -> each.device() == device && each.subject().equals(subject))
        .mapToLong(Inference::count)
        .sum();
  }

  /**
   * What else used the address space of the recorded process, as far as its segments show.
   *
   * @param device index of the device
   * @param effects what the recorded allocator of the device did
   * @return an unknown history where the recording does not begin with the process, or has no
   *     segments of {@code cudaMalloc}
   */
  public AddressHistory addressHistory(int device, EffectLog effects) {
    return starts.get(device).complete()
        ? AddressHistoryFinder.find(effects, trace::streamHandle)
        : AddressHistory.UNKNOWN;
  }

  /**
   * A limit; {@link MemoryLimit#NONE} twice where the allocator had none or none is known.
   *
   * @param bytes the limit, the highest that explains the history
   * @param minBytes the most that was granted: no limit below it explains the history
   */
  public record Limit(long bytes, long minBytes) {}

  /**
   * State of a device when its history begins.
   *
   * @param layout segments and blocks; none where the recording began before the first allocation
   * @param complete whether the history began before the first allocation
   */
  public record DeviceStart(MemoryLayout layout, boolean complete) {}
}
