package org.allocsim.workloads.source;

import java.util.List;
import java.util.OptionalLong;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.derive.DerivationOptions;
import org.allocsim.workloads.format.pytorch.derive.DerivedRequests;
import org.allocsim.workloads.format.pytorch.derive.Inference;
import org.allocsim.workloads.format.pytorch.derive.RequestDerivation;
import org.allocsim.workloads.format.pytorch.derive.ReservedMemory;

/** What PyTorch's allocator did for a program, per device, and what follows from it. */
public final class Recording {
  private final Snapshot snapshot;
  private final ParsedConfig config;
  private final DerivedRequests requests;
  private final OptionalLong shownTotalBytes;

  private Recording(
      Snapshot snapshot,
      ParsedConfig config,
      DerivedRequests requests,
      OptionalLong shownTotalBytes) {
    this.snapshot = snapshot;
    this.config = config;
    this.requests = requests;
    this.shownTotalBytes = shownTotalBytes;
  }

  static Recording of(Snapshot snapshot, ReadingOptions options) throws TraceFormatException {
    ParsedConfig config = config(snapshot, options.version());
    OptionalLong shownTotalBytes = ReservedRanges.totalBytes(snapshot);
    DerivedRequests requests =
        RequestDerivation.derive(
            snapshot,
            new DerivationOptions(
                config.allocator(),
                options.version(),
                options.limitBytes(),
                shownTotalBytes.orElse(options.deviceTotalBytes())));
    refuseImpossible(snapshot, requests.inferences());
    return new Recording(snapshot, config, requests, shownTotalBytes);
  }

  static ParsedConfig config(Snapshot snapshot, PyTorchVersion version)
      throws TraceFormatException {
    snapshot.requireHistory();
    try {
      return ConfigParser.parseRecorded(snapshot.firstConf(), version);
    } catch (ConfigException e) {
      TraceFormatException refused =
          new TraceFormatException(
              snapshot.fileName(),
              "",
              "PyTorch %s rejects the recorded settings \"%s\" (%s)"
                  .formatted(version.id(), snapshot.firstConf(), e.getMessage()),
              "give the recording's release with --torch-version");
      refused.initCause(e);
      throw refused;
    }
  }

  /**
   * Refuses a history that frees what was never allocated, or obtains memory twice.
   *
   * @throws TraceFormatException that says where, or how often
   */
  public static void refuseImpossible(Snapshot snapshot, List<Inference> inferences)
      throws TraceFormatException {
    for (Inference inference : inferences) {
      if (inference.subject().equals(Inference.UNKNOWN_FREES)) {
        throw new TraceFormatException(
            snapshot.fileName(),
            "",
            "the history of device "
                + inference.device()
                + " frees addresses without an allocation ("
                + inference.count()
                + (inference.count() == 1 ? " time; " : " times; ")
                + inference.reason()
                + "), so it is damaged or has gaps",
            "record it again without skip_actions");
      }
      if (inference.subject().equals(Inference.MEMORY_HELD_TWICE)) {
        throw new TraceFormatException(
            snapshot.fileName(),
            "",
            "in the history of device " + inference.device() + " " + inference.reason(),
            "the file is damaged; write it again");
      }
    }
  }

  Recording with(AllocationTrace trace) {
    return new Recording(
        snapshot,
        config,
        new DerivedRequests(
            trace,
            requests.starts(),
            requests.limits(),
            requests.unexplained(),
            requests.inferences()),
        shownTotalBytes);
  }

  AllocationTrace trace() {
    return requests.trace();
  }

  /** What was recorded: histories, settings, the memory at the end. */
  public Snapshot snapshot() {
    return snapshot;
  }

  /** The recorded settings. */
  public ParsedConfig config() {
    return config;
  }

  /** What the recorded allocator of a device did. */
  public EffectLog effects(int device) {
    return snapshot.devices().get(device).effects();
  }

  /** What a device held before its history. */
  public MemoryLayout start(int device) {
    return requests.starts().get(device).layout();
  }

  /** What else used the address space of the recorded process. */
  public AddressHistory addressHistory(int device) {
    return requests.addressHistory(device, effects(device));
  }

  /**
   * Limit of the recorded allocator on a device, as it was given or as the history shows; {@link
   * MemoryLimit#NONE} where neither does.
   */
  public long limitBytes(int device) {
    return requests.limitBytes(device);
  }

  /**
   * The least that this limit may have been; less where the history shows no more than that it was
   * between two sizes.
   */
  public long minLimitBytes(int device) {
    return requests.minLimitBytes(device);
  }

  /** Whether the rules of the allocator lead to the whole history. */
  boolean isExplained() {
    return requests.unexplained().stream().allMatch(entries -> entries == 0);
  }

  /** What the recorded allocator of a device held before its history; above 0 for a late start. */
  public long startBytes(int device) {
    return ReservedMemory.of(snapshot, device).startBytes();
  }

  /** The maximum of what the recorded allocator of a device reserved. */
  public long peakBytes(int device) {
    return ReservedMemory.of(snapshot, device).peakBytes();
  }

  /** Memory of the recorded GPUs, where expandable segments show it. */
  public OptionalLong shownTotalBytes() {
    return shownTotalBytes;
  }

  /** How many requests of a device failed. */
  public long failureCount(int device) {
    return failures(device).size();
  }

  /** The requests of a device that failed, in their order. */
  public List<RecordedFailure> failures(int device) {
    return RecordedFailure.of(snapshot, device);
  }

  /** The device on which a request failed first, else the one on which most was reserved. */
  int device() {
    int chosen = -1;
    long earliestNanos = Long.MAX_VALUE;
    long maxBytes = -1;
    for (int device = 0; device < snapshot.devices().size(); device++) {
      if (effects(device).count() == 0) {
        continue;
      }
      List<RecordedFailure> failures = failures(device);
      long failedNanos =
          failures.isEmpty()
              ? Long.MAX_VALUE
              : snapshot.devices().get(device).timeNanos(failures.getFirst().effect());
      long peakBytes = peakBytes(device);
      if (failedNanos < earliestNanos || (failedNanos == earliestNanos && peakBytes > maxBytes)) {
        chosen = device;
        earliestNanos = failedNanos;
        maxBytes = peakBytes;
      }
    }
    return chosen;
  }

  /** What was inferred about a device. */
  public List<Inference> inferences(int device) {
    return requests.inferences().stream().filter(each -> each.device() == device).toList();
  }
}
