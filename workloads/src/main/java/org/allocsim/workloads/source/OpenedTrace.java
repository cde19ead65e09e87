package org.allocsim.workloads.source;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.pytorch.RecordedFormat;
import org.jspecify.annotations.Nullable;

/** The requests of a trace, with what was recorded of the allocator that served them. */
public final class OpenedTrace {
  private final TraceSource source;
  private final AllocationTrace trace;
  private final @Nullable Recording recording;

  /** By device, what was asked for; finding it takes a look at the whole history. */
  private final Map<Integer, AddressHistory> addressHistories = new ConcurrentHashMap<>();

  OpenedTrace(TraceSource source, AllocationTrace trace, @Nullable Recording recording) {
    this.source = source;
    this.trace = trace;
    this.recording = recording;
  }

  /** Where it comes from. */
  public TraceSource source() {
    return source;
  }

  /** The name as it was given. */
  public String name() {
    return source.name();
  }

  /** SHA-256 of the file as stored, in hexadecimal; null for a program. */
  public @Nullable String sha256() {
    return source.sha256();
  }

  /** Id of the format. */
  public String format() {
    return source.format();
  }

  /** What the reader passed over or took for granted, with counts, a sentence each. */
  public List<String> notes() {
    return source.notes();
  }

  /** The requests of all devices. */
  public AllocationTrace trace() {
    return trace;
  }

  /** What was recorded; empty for requests only. */
  public Optional<Recording> recording() {
    return Optional.ofNullable(recording);
  }

  /** The same with other requests; what the recorded allocator did need not fit them. */
  public OpenedTrace with(AllocationTrace requests) {
    return new OpenedTrace(source, requests, recording == null ? null : recording.with(requests));
  }

  /** What else used the address space of a device's recorded process; unknown without recording. */
  public AddressHistory addressHistory(int device) {
    return recording == null
        ? AddressHistory.UNKNOWN
        : addressHistories.computeIfAbsent(device, recording::addressHistory);
  }

  /**
   * The device to look at.
   *
   * @param chosen index that the user chose; null for the one that the file names, or else that on
   *     which a request failed first, or else the one of a recording on which most was reserved,
   *     and of other traces the first
   * @throws SourceUsageException where the device that was chosen did nothing
   */
  public int device(@Nullable Integer chosen) throws SourceUsageException {
    return recording == null ? requestedDevice(chosen) : recordedDevice(recording, chosen);
  }

  /** The devices that did anything, in ascending order. */
  public List<Integer> devices() {
    if (recording == null) {
      return IntStream.range(0, trace.eventCount())
          .map(trace::device)
          .distinct()
          .sorted()
          .boxed()
          .toList();
    }
    return IntStream.range(0, recording.snapshot().devices().size())
        .filter(device -> recording.effects(device).count() > 0)
        .boxed()
        .toList();
  }

  private int recordedDevice(Recording recording, @Nullable Integer chosen)
      throws SourceUsageException {
    int devices = recording.snapshot().devices().size();
    if (chosen == null && source.chosenDevice() == RecordedFormat.Recorded.NO_CHOICE) {
      return recording.device();
    }
    int device = chosen == null ? source.chosenDevice() : chosen;
    if (device < 0 || device >= devices || recording.effects(device).count() == 0) {
      throw new SourceUsageException(
          "%s: device %s has no history; 'allocsim inspect %s' shows which devices have one"
              .formatted(name(), device, name()));
    }
    return device;
  }

  private int requestedDevice(@Nullable Integer chosen) throws SourceUsageException {
    int first = trace.eventCount() == 0 ? 0 : trace.device(0);
    if (chosen == null) {
      return first;
    }
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) == chosen) {
        return chosen;
      }
    }
    throw new SourceUsageException(
        ("%s: device %s has no requests; the first request is on device %s; select it with"
                + " --device-index %s")
            .formatted(name(), chosen, first, first));
  }
}
