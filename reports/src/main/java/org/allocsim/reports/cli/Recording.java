package org.allocsim.reports.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.reports.text.Numbers;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.ConfigParser;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.ParsedConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.RoundupDivisions;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;
import org.allocsim.workloads.format.pytorch.SnapshotSettings;
import org.allocsim.workloads.format.pytorch.derive.DerivationOptions;
import org.allocsim.workloads.format.pytorch.derive.DerivedRequests;
import org.allocsim.workloads.format.pytorch.derive.Inference;
import org.allocsim.workloads.format.pytorch.derive.RequestDerivation;

/** A recorded program: the snapshot and the requests derived from it. */
final class Recording {
  private final Snapshot snapshot;
  private final ParsedConfig config;
  private final DerivedRequests requests;

  private Recording(Snapshot snapshot, ParsedConfig config, DerivedRequests requests) {
    this.snapshot = snapshot;
    this.config = config;
    this.requests = requests;
  }

  /** Reads a snapshot, with a progress bar where it takes long. */
  static Snapshot readSnapshot(Path file) {
    try (ProgressMeter progress = ProgressMeter.ofBytes("reading")) {
      return SnapshotReader.read(file, progress::update);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  /**
   * Derives the requests of a snapshot.
   *
   * @param config the recorded settings
   * @param limitBytes limit to replay under, −1 without one; it helps to understand the recording
   *     unless the recording went beyond it
   */
  static Recording of(
      Snapshot snapshot,
      ParsedConfig config,
      PyTorchVersion version,
      long limitBytes,
      long deviceTotalBytes) {
    boolean limitHeld = limitBytes != MemoryLimit.NONE;
    for (int device = 0; device < snapshot.devices().size() && limitHeld; device++) {
      limitHeld = recordedPeakBytes(snapshot, device) <= limitBytes;
    }
    DerivedRequests requests =
        RequestDerivation.derive(
            snapshot,
            new DerivationOptions(
                config.allocator(),
                version,
                limitHeld ? limitBytes : MemoryLimit.NONE,
                deviceTotalBytes));
    refuseUnknownFrees(snapshot, requests.inferences());
    return new Recording(snapshot, config, requests);
  }

  /** The same recording with other requests; what the recorded allocator did does not fit them. */
  Recording with(AllocationTrace trace) {
    return new Recording(
        snapshot,
        config,
        new DerivedRequests(
            trace,
            requests.starts(),
            requests.limitBytes(),
            requests.unexplainedEntries(),
            requests.inferences()));
  }

  /**
   * Refuses a history that frees what was never allocated.
   *
   * @throws Failure that counts them
   */
  static void refuseUnknownFrees(Snapshot snapshot, List<Inference> inferences) {
    for (Inference inference : inferences) {
      if (inference.subject().equals(Inference.UNKNOWN_FREES)) {
        throw new Failure(
            snapshot.fileName()
                + ": the history of device "
                + inference.device()
                + " frees addresses at which nothing is allocated ("
                + Numbers.count(inference.count(), "time")
                + "), so it is damaged or has gaps; record it anew, without skip_actions");
      }
    }
  }

  /**
   * The settings that a snapshot was recorded with.
   *
   * @throws Failure where there is no history, or the release has no such settings
   */
  static ParsedConfig recordedConfig(Snapshot snapshot, PyTorchVersion version) {
    try {
      snapshot.requireHistory();
      return ConfigParser.parse(snapshot.settings().conf(), version);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    } catch (ConfigException e) {
      throw new Failure(
          snapshot.fileName()
              + ": PyTorch "
              + version.id()
              + " refuses the recorded settings \""
              + snapshot.settings().conf()
              + "\" ("
              + e.getMessage()
              + "); give the release that recorded them with --torch-version",
          e);
    }
  }

  /** Most memory that was reserved, by undoing the history from the segments at its end. */
  private static long recordedPeakBytes(Snapshot snapshot, int device) {
    long reserved = 0;
    for (SnapshotSegment segment : snapshot.segments()) {
      if (segment.device() == device) {
        reserved += segment.totalBytes();
      }
    }
    long peak = reserved;
    EffectLog effects = snapshot.devices().get(device).effects();
    for (int row = effects.count() - 1; row >= 0; row--) {
      switch (effects.kind(row)) {
        case SEGMENT_ALLOC, SEGMENT_MAP -> reserved -= effects.bytes(row);
        case SEGMENT_FREE, SEGMENT_UNMAP -> reserved += effects.bytes(row);
        default -> {}
      }
      peak = Math.max(peak, reserved);
    }
    return peak;
  }

  /**
   * The device to replay.
   *
   * @param index the device that the user chose, or null for the first one with a history
   * @throws Failure where the chosen device has no history
   */
  int device(Integer index) {
    if (index == null) {
      int device = 0;
      while (effects(device).count() == 0) {
        device++;
      }
      return device;
    }
    if (index < 0 || index >= snapshot.devices().size() || effects(index).count() == 0) {
      throw Failure.usage(
          snapshot.fileName()
              + ": device "
              + index
              + " has no history; 'allocsim inspect "
              + snapshot.fileName()
              + "' shows which have");
    }
    return index;
  }

  /** The file's content. */
  Snapshot snapshot() {
    return snapshot;
  }

  /** The recorded settings. */
  ParsedConfig config() {
    return config;
  }

  /** The requests of all devices. */
  AllocationTrace trace() {
    return requests.trace();
  }

  /** What the recorded allocator of a device did. */
  EffectLog effects(int device) {
    return snapshot.devices().get(device).effects();
  }

  /** What else used the address space of the recorded process. */
  AddressHistory addressHistory(int device) {
    return requests.addressHistory(device, effects(device));
  }

  /** Limit that the recorded allocator had, as far as its history shows one; −1 if not. */
  long limitBytes() {
    return requests.limitBytes();
  }

  /** Most memory that the recorded allocator of a device reserved. */
  long peakBytes(int device) {
    return recordedPeakBytes(snapshot, device);
  }

  /** Whether a request of a device failed. */
  boolean hasFailures(int device) {
    EffectLog effects = effects(device);
    for (int row = 0; row < effects.count(); row++) {
      if (effects.kind(row) == EffectKind.OOM) {
        return true;
      }
    }
    return false;
  }

  /** What a device held before its history. */
  MemoryLayout start(int device) {
    return requests.starts().get(device).layout();
  }

  /** What was concluded about a device. */
  List<Inference> inferences(int device) {
    return requests.inferences().stream().filter(each -> each.device() == device).toList();
  }

  /** An inference in a line. */
  static String line(Inference inference) {
    return inference.subject()
        + ": "
        + Numbers.count(inference.count())
        + " ("
        + inference.confidence().toString().toLowerCase(Locale.ROOT)
        + "; "
        + inference.reason()
        + ")";
  }

  /** Inferences as JSON. */
  static List<Object> toList(List<Inference> inferences) {
    return inferences.stream().<Object>map(Recording::toMap).toList();
  }

  private static Map<String, Object> toMap(Inference inference) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("device", inference.device());
    map.put("subject", inference.subject());
    map.put("count", inference.count());
    map.put("confidence", inference.confidence().toString().toLowerCase(Locale.ROOT));
    map.put("reason", inference.reason());
    return map;
  }

  /** The recorded settings under PyTorch's names; empty where the file has none. */
  static Map<String, Object> settings(Snapshot snapshot) {
    SnapshotSettings settings = snapshot.settings();
    Map<String, Object> map = new LinkedHashMap<>();
    if (!settings.present()) {
      return map;
    }
    map.put("PYTORCH_CUDA_ALLOC_CONF", settings.conf());
    map.put("max_split_size", settings.maxSplitBytes());
    map.put("garbage_collection_threshold", settings.garbageCollectionThreshold());
    map.put("expandable_segments", settings.expandableSegments());
    map.put("pinned_num_register_threads", settings.pinnedNumRegisterThreads());
    map.put("release_lock_on_cudamalloc", settings.releaseLockOnCudamalloc());
    map.put("pinned_use_cuda_host_register", settings.pinnedUseCudaHostRegister());
    map.put("graph_capture_record_stream_reuse", settings.graphCaptureRecordStreamReuse());
    Map<String, Object> divisions = new LinkedHashMap<>();
    for (int slot = 0; slot < RoundupDivisions.SLOTS; slot++) {
      divisions.put(Integer.toString(1 << slot), settings.roundupDivisions().slot(slot));
    }
    map.put("roundup_power2_divisions", divisions);
    return map;
  }
}
