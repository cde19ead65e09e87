package org.allocsim.reports.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.ParsedConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.derive.SnapshotFormat;
import org.allocsim.workloads.program.ProgramOptionException;
import org.allocsim.workloads.program.Programs;

/**
 * The requests of a file of any format.
 *
 * @param name the file's name as it was given
 * @param sha256 digest of the file as stored
 * @param format id of its format
 * @param trace the requests
 * @param device index of the device that is looked at
 * @param conf settings that a PyTorch snapshot was recorded with; null for other formats
 * @param addresses what the recording tells of other users of the address space
 * @param notes what the reader concluded or passed over
 */
record TraceInput(
    String name,
    String sha256,
    String format,
    AllocationTrace trace,
    int device,
    String conf,
    AddressHistory addresses,
    List<String> notes) {
  private static final String PROGRAM_PREFIX = "program:";

  /** Seed of what programs draw, as {@code generate} has it. */
  private static final long PROGRAM_SEED = 1;

  /**
   * Reads a file.
   *
   * @param formatId format that the user chose, or null
   * @param deviceIndex device that the user chose, or null for the first that did anything
   * @throws Failure where it cannot be read
   */
  static TraceInput read(
      String name, String formatId, PyTorchVersion version, Integer deviceIndex) {
    Path file = Inputs.require(name);
    try {
      TraceFormat format = format(file, formatId);
      if (format.id().equals(SnapshotFormat.ID)) {
        return snapshot(name, Recording.readSnapshot(file), version, deviceIndex);
      }
      TraceFile read = read(format, file);
      return new TraceInput(
          name,
          read.sha256(),
          read.format(),
          read.trace(),
          device(name, read.trace(), deviceIndex),
          null,
          AddressHistory.UNKNOWN,
          read.notes());
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  /** Whether a name stands for a program that is to be generated: {@code program:ID}. */
  static boolean isProgram(String name) {
    return name.startsWith(PROGRAM_PREFIX);
  }

  /**
   * What a program asks, without a file between.
   *
   * @param name {@code program:ID}, with options in parentheses: {@code program:gpt(batch=4)}
   * @throws Failure where there is no such program or option
   */
  static TraceInput ofProgram(String name) {
    String text = name.substring(PROGRAM_PREFIX.length());
    int open = text.indexOf('(');
    if (open >= 0 && !text.endsWith(")")) {
      throw Failure.usage(name + " has no closing parenthesis; write program:ID(name=value)");
    }
    Map<String, String> values = new LinkedHashMap<>();
    String options = open < 0 ? "" : text.substring(open + 1, text.length() - 1);
    for (String option : options.isEmpty() ? new String[0] : options.split(";", -1)) {
      int sign = option.indexOf('=');
      if (sign < 1) {
        throw Failure.usage(name + ": option '" + option + "' is not of the form name=value");
      }
      values.put(option.substring(0, sign).strip(), option.substring(sign + 1).strip());
    }
    try {
      String id = (open < 0 ? text : text.substring(0, open)).strip();
      return new TraceInput(
          name,
          null,
          "program",
          Programs.generate(id, values, PROGRAM_SEED),
          0,
          null,
          AddressHistory.UNKNOWN,
          List.of());
    } catch (ProgramOptionException e) {
      throw Failure.usage(e.getMessage());
    }
  }

  /**
   * Reads a file that is of a format.
   *
   * @throws Failure where it cannot be read
   */
  static TraceFile read(TraceFormat format, Path file) {
    try (ProgressMeter progress = ProgressMeter.ofBytes("reading")) {
      return format.read(file, progress::update);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  /**
   * The format of a file that is no snapshot of PyTorch; empty for snapshots and for files of no
   * known format, about which the reader of snapshots knows more to say.
   *
   * @param formatId format that the user chose, or null
   */
  static Optional<TraceFormat> otherThanSnapshot(Path file, String formatId) {
    try {
      return Optional.of(format(file, formatId))
          .filter(format -> !format.id().equals(SnapshotFormat.ID));
    } catch (TraceFormatException _) {
      return Optional.empty();
    }
  }

  /**
   * Whether a file is a snapshot of PyTorch.
   *
   * @param formatId format that the user chose, or null
   */
  static boolean isSnapshot(Path file, String formatId) {
    try {
      return format(file, formatId).id().equals(SnapshotFormat.ID);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  /**
   * The format of a file.
   *
   * @param id format that the user chose, or null
   */
  static TraceFormat format(Path file, String id) throws TraceFormatException {
    if (id == null) {
      return TraceFormats.of(file);
    }
    return requireFormat(id);
  }

  /** The format of an id that the user chose. */
  static TraceFormat requireFormat(String id) {
    return TraceFormats.named(id)
        .orElseThrow(() ->
            Failure.usage(
                "--format "
                    + id
                    + " is not a format; 'allocsim list formats' shows what there is"));
  }

  private static TraceInput snapshot(
      String name, Snapshot snapshot, PyTorchVersion version, Integer deviceIndex) {
    ParsedConfig config = Recording.recordedConfig(snapshot, version);
    Recording recording = Recording.of(snapshot, config, version, MemoryLimit.NONE, -1);
    int device = recording.device(deviceIndex);
    List<String> notes = new ArrayList<>(snapshot.notes());
    recording.inferences(device).forEach(inference -> notes.add(Recording.line(inference)));
    return new TraceInput(
        name,
        snapshot.sha256(),
        SnapshotFormat.ID,
        recording.trace(),
        device,
        config.text(),
        recording.addressHistory(device),
        notes);
  }

  /** The device that is looked at. */
  static int device(String name, AllocationTrace trace, Integer chosen) {
    int first = trace.eventCount() == 0 ? 0 : trace.device(0);
    if (chosen == null) {
      return first;
    }
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) == chosen) {
        return chosen;
      }
    }
    throw Failure.usage(name + ": device " + chosen + " has no requests; the first has " + first);
  }
}
