package org.allocsim.analysis.recording;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.workloads.format.pytorch.derive.DeviceFailure;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.RecordedFailure;
import org.allocsim.workloads.source.Recording;
import org.jspecify.annotations.Nullable;

/**
 * On which GPU and under which limit a program is taken to run: as the user says, else as the
 * recording shows, else on the default GPU without a limit.
 *
 * <p>Of a failed request PyTorch records what was free on the GPU. With what the allocator held
 * then, that is the memory that the program could have, other processes aside. Where less was free
 * than the request needed, the GPU was full, and its size is known to the byte; where more was
 * free, the allocator's own limit refused, which the derivation of the requests finds.
 *
 * @param limitBytes the allocator's own limit, −1 without one; where the recording shows between
 *     which sizes it lies, the largest
 * @param minLimitBytes the smallest of these; the limit itself where it is known
 * @param profile the GPU
 * @param isDeviceChosen whether the user chose the GPU
 * @param evidence what was inferred and from what, a clause each
 */
public record RecordedConditions(
    long limitBytes,
    long minLimitBytes,
    DeviceProfile profile,
    boolean isDeviceChosen,
    List<String> evidence) {
  /** Others may hold so much of a GPU that what is left could be that of a smaller one. */
  private static final double SAME_SIZE = 0.75;

  /**
   * What somebody says, whatever the recording shows.
   *
   * @param limitBytes the allocator's own limit, −1 without one
   */
  public static RecordedConditions given(long limitBytes, DeviceProfile profile) {
    return known(limitBytes, profile, true, List.of());
  }

  /** Circumstances whose limit is known. */
  public static RecordedConditions known(
      long limitBytes, DeviceProfile profile, boolean isDeviceChosen, List<String> evidence) {
    return new RecordedConditions(limitBytes, limitBytes, profile, isDeviceChosen, evidence);
  }

  /** Keeps its own copy. */
  public RecordedConditions {
    evidence = List.copyOf(evidence);
  }

  /**
   * The conditions of a trace.
   *
   * @param givenBytes the limit that the user gives, −1 without one
   * @param chosen the GPU that the user chose; null where the recorded one is meant. On another GPU
   *     the recorded limit does not hold: programs set it as a share of the memory
   */
  public static RecordedConditions of(
      DeviceTrace input, long givenBytes, @Nullable DeviceProfile chosen) {
    Optional<Recording> recording = input.recording();
    Optional<RecordedFacts.Device> facts =
        recording
            .flatMap(each -> each.snapshot().facts())
            .flatMap(each -> each.device(input.device()));
    if (chosen == null && facts.isPresent()) {
      return recorded(input, recording.orElseThrow(), facts.get(), givenBytes);
    }
    DeviceProfile assumed =
        chosen != null
            ? chosen
            : recording
                .map(each -> RecordedGpu.byRanges(each.shownTotalBytes()))
                .orElseGet(DeviceProfiles::defaultProfile);
    if (chosen == null
        && givenBytes == MemoryLimit.NONE
        && recording.isEmpty()
        && input.trace().refusedBytes() > 0) {
      return refused(input.trace().refusedBytes(), assumed);
    }
    if (chosen != null || recording.isEmpty()) {
      return known(givenBytes, assumed, chosen != null, List.of());
    }
    List<String> evidence = new ArrayList<>();
    if (!assumed.equals(DeviceProfiles.defaultProfile())) {
      evidence.add("GPU " + assumed.name() + ", by the distance of expandable segments");
    }
    long limitBytes = givenBytes;
    long minBytes = givenBytes;
    if (givenBytes == MemoryLimit.NONE
        && recording.get().limitBytes(input.device()) != MemoryLimit.NONE) {
      limitBytes = recording.get().limitBytes(input.device());
      minBytes = recording.get().minLimitBytes(input.device());
      evidence.add(limit(input, limitBytes));
    }
    return new RecordedConditions(
        limitBytes,
        minBytes,
        device(input, recording.get(), limitBytes, assumed, evidence),
        false,
        evidence);
  }

  /**
   * The largest limit under which the requests of a log failed that failed: of what was live then
   * and what was asked for, in whole pages of the driver, one byte was missing.
   */
  private static RecordedConditions refused(long refusedBytes, DeviceProfile assumed) {
    long limitBytes =
        (refusedBytes + DeviceProfile.PAGE_BYTES - 1)
                / DeviceProfile.PAGE_BYTES
                * DeviceProfile.PAGE_BYTES
            - 1;
    return known(
        limitBytes,
        limitBytes <= assumed.totalBytes() ? assumed : smallestFor(limitBytes, assumed),
        false,
        List.of(
            "limit "
                + ByteFormat.human(limitBytes)
                + ", the highest that explains which requests failed"));
  }

  /** What {@code allocsim record} took down; nothing is left to infer. */
  private static RecordedConditions recorded(
      DeviceTrace input, Recording recording, RecordedFacts.Device facts, long givenBytes) {
    DeviceProfile profile = ofSize(facts.totalBytes());
    List<String> evidence = new ArrayList<>();
    evidence.add(
        "GPU " + facts.name() + " with " + ByteFormat.human(facts.totalBytes()) + ", recorded");
    boolean isGiven = givenBytes != MemoryLimit.NONE;
    if (!isGiven) {
      evidence.add(
          facts.limitBytes() == MemoryLimit.NONE
              ? "no limit, recorded"
              : "limit " + ByteFormat.human(facts.limitBytes()) + ", recorded");
    }
    long limitBytes = isGiven ? givenBytes : facts.limitBytes();
    return known(
        limitBytes,
        device(input, recording, limitBytes, profile, new ArrayList<>()),
        false,
        evidence);
  }

  /** The known GPU of a size, else the smallest known one that has as much, cut to it. */
  static DeviceProfile ofSize(long totalBytes) {
    DeviceProfile known =
        ShippedProfiles.all().stream()
            .filter(each -> each.totalBytes() >= totalBytes)
            .min(Comparator.comparingLong(DeviceProfile::totalBytes))
            .orElseGet(DeviceProfiles::defaultProfile);
    return known.totalBytes() <= totalBytes
        ? known
        : known.withCapacity(totalBytes - (known.totalBytes() - known.capacityBytes()));
  }

  /** The same, with one more thing that something else than the recording shows. */
  public RecordedConditions because(String clause) {
    return new RecordedConditions(
        limitBytes,
        minLimitBytes,
        profile,
        isDeviceChosen,
        Stream.concat(Stream.of(clause), evidence.stream()).toList());
  }

  /** Whether neither the user nor the recording says anything of GPU and limit. */
  public boolean areUnknown() {
    return !isDeviceChosen && limitBytes == MemoryLimit.NONE && evidence.isEmpty();
  }

  /** What allocators can have at most: their limit, or the memory of the GPU. */
  public long maxBytes() {
    return limitBytes == MemoryLimit.NONE
        ? profile.capacityBytes()
        : Math.min(limitBytes, profile.capacityBytes());
  }

  /**
   * What allocators could have at least: less than {@link #maxBytes} where the limit is not known.
   */
  public long certainBytes() {
    return Math.min(maxBytes(), minLimitBytes == MemoryLimit.NONE ? maxBytes() : minLimitBytes);
  }

  /** Whether the recorded device's answers can hold. */
  public boolean canFollow(DeviceTrace input) {
    return RecordedAnswers.canHold(
        input.opened(), input.device(), limitBytes, profile, isDeviceChosen);
  }

  private static String limit(DeviceTrace input, long limitBytes) {
    return "limit "
        + ByteFormat.human(limitBytes)
        + ", the highest that explains "
        + (input.recording().orElseThrow().failureCount(input.device()) > 0
            ? "which requests failed"
            : "when cached memory was released and requested again; without stacks of the"
                + " releases, empty_cache() calls would also explain it");
  }

  /** The GPU of the recording, as far as failed requests show it. */
  private static DeviceProfile device(
      DeviceTrace input,
      Recording recording,
      long limitBytes,
      DeviceProfile assumed,
      List<String> evidence) {
    AllocatorConfig config = recording.config().allocator();
    long fullBytes = Long.MAX_VALUE;
    List<RecordedFailure> failures = recording.failures(input.device());
    for (RecordedFailure failure : failures) {
      fullBytes =
          Math.min(
              fullBytes,
              DeviceFailure.maxBytes(
                  failure.reservedBytes(),
                  failure.requestedBytes(),
                  failure.deviceFreeBytes(),
                  config));
    }
    long peakBytes = recording.peakBytes(input.device());
    boolean isShown =
        recording.shownTotalBytes().isPresent() || recording.snapshot().facts().isPresent();
    DeviceProfile known = isShown ? assumed : RecordedGpu.byUse(failures, peakBytes, assumed);
    if (limitBytes != MemoryLimit.NONE || fullBytes == Long.MAX_VALUE) {
      if (!known.equals(assumed)) {
        evidence.add("GPU " + known.name() + ", the smallest GPU with that much");
      }
      return known;
    }
    long capacityBytes =
        Math.min(
            known.totalBytes(),
            Math.max(fullBytes, peakBytes)
                + RecordedAnswers.streamBytes(input.trace(), input.device()));
    evidence.add(
        ("GPU %s%s with %s for the program: the memory it held plus the memory free when"
                + " requests failed")
            .formatted(
                known.name(),
                known.equals(assumed) ? "" : ", the smallest GPU with that much,",
                ByteFormat.human(capacityBytes)));
    return known.withCapacity(capacityBytes);
  }

  /** The assumed GPU where it may be that, else the smallest known one with so much. */
  public static DeviceProfile smallestFor(long bytes, DeviceProfile assumed) {
    if (bytes <= assumed.totalBytes() && bytes >= SAME_SIZE * assumed.totalBytes()) {
      return assumed;
    }
    return ShippedProfiles.all().stream()
        .filter(each -> each.totalBytes() >= bytes)
        .min(Comparator.comparingLong(DeviceProfile::totalBytes))
        .orElse(assumed);
  }
}
