package org.allocsim.reports.cli.option;

import java.util.List;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.Failure;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say how traces are read, and the requests of which recorded device count. */
public final class TraceOptions {
  /** What commands take, in their help. */
  public static final String TRACE =
      "A trace of any format ('allocsim list formats'), or a program: program:ID(name=value;...)"
          + " ('allocsim list programs').";

  /** What commands take that answer for jobs, too. */
  public static final String TRACE_OR_JOB =
      TRACE + " Or a folder with one recording for each rank of a job.";

  @Option(
      names = "--device-index",
      paramLabel = "N",
      description =
          "Which recorded GPU to look at, from 0 (default: the one on which a request failed first,"
              + " else the one that reserved the most).")
  private Integer deviceIndex;

  @Option(
      names = "--format",
      paramLabel = "ID",
      description = "Format of the trace (default: recognised by content).")
  private String format;

  /** The device that was chosen, or null for the first that did anything. */
  public Integer deviceIndex() {
    return deviceIndex;
  }

  /**
   * The format that was chosen, or null for that of the content.
   *
   * @throws Failure where there is no such format
   */
  public @Nullable String format() {
    return format == null ? null : Traces.format(format).id();
  }

  /**
   * Reads a file, or generates what {@code program:ID} asks.
   *
   * @throws Failure where it cannot be read
   */
  public TraceSource open(String name) {
    return Traces.open(name, format);
  }

  /**
   * Reads a trace by the rules of the release that was chosen, or that it shows.
   *
   * @throws Failure where it cannot be read
   */
  public DeviceTrace read(String name, TorchVersionOption version) {
    TraceSource source = open(name);
    version.follow(source);
    return read(source, ReadingOptions.of(version.version()));
  }

  /**
   * The requests of the device that was chosen, else of every device that did anything, by the
   * rules of the release that was chosen, or that the trace shows.
   *
   * @throws Failure where the trace cannot be read
   */
  public List<DeviceTrace> readAll(String name, TorchVersionOption version) {
    TraceSource source = open(name);
    version.follow(source);
    OpenedTrace opened = Traces.read(source, ReadingOptions.of(version.version()));
    List<Integer> devices = opened.devices();
    return deviceIndex != null || devices.size() < 2
        ? List.of(new DeviceTrace(opened, Traces.device(opened, deviceIndex)))
        : devices.stream().map(device -> new DeviceTrace(opened, device)).toList();
  }

  /**
   * The requests of the device that was chosen.
   *
   * @throws Failure where a recording is damaged, or the device did nothing
   */
  public DeviceTrace read(TraceSource source, ReadingOptions options) {
    OpenedTrace opened = Traces.read(source, options);
    return new DeviceTrace(opened, Traces.device(opened, deviceIndex));
  }

  /**
   * Reads a trace by the rules of the release that it shows, else of the newest.
   *
   * @throws Failure where it cannot be read
   */
  public DeviceTrace read(String name) {
    TraceSource source = open(name);
    return read(source, source.defaultOptions());
  }
}
