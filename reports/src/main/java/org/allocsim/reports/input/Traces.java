package org.allocsim.reports.input;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.derive.Inference;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.Recording;
import org.allocsim.workloads.source.SourceUsageException;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens traces for commands: with a progress bar, and with their failures as commands report them.
 */
public final class Traces {
  /** Not a scoped value, which the browser's Java lacks. */
  private static final ThreadLocal<Consumer<TraceSource>> OPENED = new ThreadLocal<>();

  /** Ends what {@link #hearing} began. */
  public interface Hearing extends AutoCloseable {
    @Override
    void close();
  }

  private Traces() {}

  /** Tells somebody of each trace that this thread opens, until it is closed. */
  public static Hearing hearing(Consumer<TraceSource> hearer) {
    OPENED.set(hearer);
    return OPENED::remove;
  }

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
      TraceSource source = TraceSource.open(name, format, progress::update);
      Consumer<TraceSource> hearer = OPENED.get();
      if (hearer != null) {
        hearer.accept(source);
      }
      return source;
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
   * The settings that a source was recorded with; null where it gives none.
   *
   * @throws Failure where the recording has no history, or the release refuses its settings
   */
  public static @Nullable ParsedConfig recordedConfig(TraceSource source, PyTorchVersion version) {
    try {
      return source.recordedConfig(version).orElse(null);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  /**
   * The requests of a source.
   *
   * @throws Failure where its recording is damaged
   */
  public static OpenedTrace read(TraceSource source, ReadingOptions options) {
    try {
      return source.read(options);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  /**
   * The device that is looked at.
   *
   * @param chosen index that the user chose, or null
   * @throws Failure where that device did nothing
   */
  public static int device(OpenedTrace trace, @Nullable Integer chosen) {
    try {
      return trace.device(chosen);
    } catch (SourceUsageException e) {
      throw Failure.usage(e.getMessage());
    }
  }
}
