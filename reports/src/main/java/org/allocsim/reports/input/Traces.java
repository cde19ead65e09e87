package org.allocsim.reports.input;

import java.nio.file.Path;
import java.util.List;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.program.ProgramException;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.derive.Inference;
import org.allocsim.workloads.source.Recording;
import org.allocsim.workloads.source.SourceUsageException;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens traces for commands: with a progress bar, and with their failures as commands report them.
 */
public final class Traces {
  private Traces() {}

  /**
   * Reads a file, or generates what {@code program:ID} asks.
   *
   * @param format id of the format that the user chose, or null for that of the content
   * @throws Failure where it cannot be read
   */
  public static TraceSource open(String name, @Nullable String format) {
    if (!TraceSource.isProgram(name)) {
      Inputs.require(name);
    }
    try (ProgressMeter progress = ProgressMeter.ofBytes("reading")) {
      return TraceSource.open(name, format, progress::update);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    } catch (SourceUsageException e) {
      throw Failure.usage(e.getMessage());
    }
  }

  /**
   * Whether a name stands for a trace: a program, or a file that a format recognises.
   *
   * @throws Failure where there is no such file, or it cannot be read
   */
  public static boolean isTrace(String name) {
    if (TraceSource.isProgram(name)) {
      return true;
    }
    try {
      return TraceFormats.isTrace(Inputs.require(name));
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  /**
   * The format of an id that the user chose.
   *
   * @throws Failure where there is none
   */
  public static TraceFormat format(String id) {
    try {
      return TraceSource.format(id);
    } catch (SourceUsageException e) {
      throw Failure.usage(e.getMessage());
    }
  }

  /**
   * Refuses a history that no allocator can have made.
   *
   * @throws Failure that says why
   */
  public static void refuseImpossible(Snapshot snapshot, List<Inference> inferences) {
    try {
      Recording.refuseImpossible(snapshot, inferences);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  /** The file that is not to be overwritten; null for a program. */
  public static @Nullable Path file(String name) {
    return TraceSource.isProgram(name) ? null : Inputs.require(name);
  }

  /**
   * A program under conditions.
   *
   * @throws Failure where the trace cannot be read, or the conditions make no sense for it
   */
  public static Program program(TraceSource source, Conditions conditions) {
    try {
      return Program.open(source, conditions);
    } catch (ProgramException e) {
      throw Failure.of(e);
    }
  }

  /**
   * Settings by the rules of a release.
   *
   * @throws Failure where it refuses them, or they ask for another allocator
   */
  public static ParsedConfig settings(String conf, PyTorchVersion release) {
    try {
      return Program.parse(conf, release);
    } catch (ProgramException e) {
      throw Failure.of(e);
    }
  }

  /**
   * Refuses settings under which the driver of a GPU would refuse every large segment.
   *
   * @throws Failure that names the setting
   */
  public static void requirePossible(ParsedConfig settings, DeviceProfile gpu) {
    try {
      Program.requirePossible(settings, gpu);
    } catch (ProgramException e) {
      throw Failure.of(e);
    }
  }
}
