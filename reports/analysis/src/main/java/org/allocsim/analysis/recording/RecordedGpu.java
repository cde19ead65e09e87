package org.allocsim.analysis.recording;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.derive.ReservedMemory;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.allocsim.workloads.source.RecordedFailure;
import org.allocsim.workloads.source.ReservedRanges;
import org.allocsim.workloads.source.TraceSource;

/**
 * The GPU of a recording, as far as its file shows it before its requests are known. A share of the
 * memory, as programs set their limit, is a share of this one.
 */
public final class RecordedGpu {
  private RecordedGpu() {}

  /** The GPU that a trace shows, else the default one. */
  public static DeviceProfile of(TraceSource source) {
    return source
        .snapshot()
        .filter(Snapshot::hasHistory)
        .map(RecordedGpu::of)
        .orElseGet(DeviceProfiles::defaultProfile);
  }

  private static DeviceProfile of(Snapshot snapshot) {
    Optional<RecordedFacts.Device> facts =
        snapshot.facts().flatMap(each -> each.devices().stream().findFirst());
    if (facts.isPresent()) {
      return RecordedConditions.ofSize(facts.get().totalBytes());
    }
    OptionalLong shownBytes = ReservedRanges.totalBytes(snapshot);
    DeviceProfile assumed = byRanges(shownBytes);
    if (shownBytes.isPresent()) {
      return assumed;
    }
    List<RecordedFailure> failures = new ArrayList<>();
    long peakBytes = 0;
    for (int device = 0; device < snapshot.devices().size(); device++) {
      failures.addAll(RecordedFailure.of(snapshot, device));
      peakBytes = Math.max(peakBytes, ReservedMemory.of(snapshot, device).peakBytes());
    }
    return byUse(failures, peakBytes, assumed);
  }

  /**
   * The smallest GPU that had what failed requests saw of it, and what was reserved.
   *
   * @param assumed taken where nothing speaks against it
   */
  static DeviceProfile byUse(
      List<RecordedFailure> failures, long peakBytes, DeviceProfile assumed) {
    long seenBytes = failures.stream().mapToLong(RecordedFailure::availableBytes).max().orElse(-1);
    return seenBytes < 0 && peakBytes <= assumed.capacityBytes()
        ? assumed
        : RecordedConditions.smallestFor(Math.max(seenBytes, peakBytes), assumed);
  }

  /** The GPU that the distance of expandable segments shows, else the default one. */
  static DeviceProfile byRanges(OptionalLong shownTotalBytes) {
    DeviceProfile usual = DeviceProfiles.defaultProfile();
    long totalBytes = shownTotalBytes.orElse(usual.totalBytes());
    return totalBytes == usual.totalBytes()
        ? usual
        : ShippedProfiles.all().stream()
            .filter(each -> each.totalBytes() == totalBytes)
            .findFirst()
            .orElse(usual);
  }
}
