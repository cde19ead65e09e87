package org.allocsim.workloads.source;

import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.pytorch.derive.Inference;
import org.jspecify.annotations.Nullable;

/**
 * One device of a trace.
 *
 * @param opened the trace, with the requests of all devices
 * @param device index of the device that is looked at
 */
public record DeviceTrace(OpenedTrace opened, int device) {
  /** The name as it was given. */
  public String name() {
    return opened.name();
  }

  /** SHA-256 of the file as stored, in hexadecimal; null for a program. */
  public @Nullable String sha256() {
    return opened.sha256();
  }

  /** Id of the format. */
  public String format() {
    return opened.format();
  }

  /** What the reader passed over or took for granted, with counts, a sentence each. */
  public List<String> notes() {
    return opened.notes();
  }

  /** The requests of all devices. */
  public AllocationTrace trace() {
    return opened.trace();
  }

  /** What was recorded; empty for requests only. */
  public Optional<Recording> recording() {
    return opened.recording();
  }

  /** Settings that it was recorded with, as the program gave them; null where none are known. */
  public @Nullable String conf() {
    return recording().map(recording -> recording.config().text()).orElse(null);
  }

  /** What else used the address space of the recorded process. */
  public AddressHistory addresses() {
    return opened.addressHistory(device);
  }

  /** What the recording does not say of the device and was inferred. */
  public List<Inference> inferences() {
    return recording().map(recording -> recording.inferences(device)).orElse(List.of());
  }

  /** Entries of the device's recorded history, or its rows where there is no recording. */
  public long eventCount() {
    if (recording().isPresent()) {
      return recording().get().effects(device).count();
    }
    long rows = 0;
    for (int event = 0; event < trace().eventCount(); event++) {
      rows += trace().device(event) == device ? 1 : 0;
    }
    return rows;
  }
}
