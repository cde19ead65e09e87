package org.allocsim.reports.cli;

import java.nio.file.Path;
import org.allocsim.reports.fleet.FleetTrace;
import org.allocsim.reports.fleet.SweepRequest;
import org.allocsim.reports.fleet.TraceReader;
import org.allocsim.reports.fleet.UnreadableTraceException;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.ParsedConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.allocsim.workloads.format.pytorch.derive.SnapshotFormat;

/** Reads the traces of a sweep as other commands read theirs, without a word to the terminal. */
enum FleetTraceReader implements TraceReader {
  /** The only one. */
  INSTANCE;

  private static final long UNKNOWN = -1;

  @Override
  public FleetTrace read(Path file, SweepRequest request) throws UnreadableTraceException {
    try {
      TraceFormat format = TraceInput.format(file, request.format());
      return format.id().equals(SnapshotFormat.ID)
          ? snapshot(file, request)
          : other(format, file, request);
    } catch (TraceFormatException | Failure e) {
      throw new UnreadableTraceException(
          e.getMessage(), e.getCause() instanceof OutOfMemoryError, e);
    }
  }

  private static FleetTrace other(TraceFormat format, Path file, SweepRequest request)
      throws TraceFormatException {
    TraceFile read = format.read(file, Progress.NONE);
    return new FleetTrace(
        read.sha256(),
        read.format(),
        read.trace(),
        TraceInput.device(file.toString(), read.trace(), request.deviceIndex()),
        "",
        AddressHistory.UNKNOWN,
        UNKNOWN,
        UNKNOWN);
  }

  private static FleetTrace snapshot(Path file, SweepRequest request) throws TraceFormatException {
    PyTorchVersion version = PyTorchVersion.of(request.torchVersion());
    Snapshot snapshot = SnapshotReader.read(file, Progress.NONE);
    ParsedConfig config = Recording.recordedConfig(snapshot, version);
    Recording recording = Recording.of(snapshot, config, version, MemoryLimit.NONE, -1);
    int device = recording.device(request.deviceIndex());
    return new FleetTrace(
        snapshot.sha256(),
        SnapshotFormat.ID,
        recording.trace(),
        device,
        config.text(),
        recording.addressHistory(device),
        failures(recording.effects(device)),
        recording.limitBytes());
  }

  private static long failures(EffectLog effects) {
    long failures = 0;
    for (int row = 0; row < effects.count(); row++) {
      if (effects.kind(row) == EffectKind.OOM) {
        failures++;
      }
    }
    return failures;
  }
}
