package org.allocsim.reports.cli;

import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import picocli.CommandLine.Option;

/** Options that say how traces are read, and the requests of which recorded device count. */
final class TraceOptions {
  @Option(
      names = "--device-index",
      paramLabel = "N",
      description = "Which recorded GPU to replay (default: the first one that did anything).")
  private Integer deviceIndex;

  @Option(
      names = "--format",
      paramLabel = "ID",
      description = "Format of the trace (default: recognised by content).")
  private String format;

  /** The device that was chosen, or null for the first that did anything. */
  Integer deviceIndex() {
    return deviceIndex;
  }

  /**
   * The format that was chosen, or null for that of the content.
   *
   * @throws Failure where there is no such format
   */
  String format() {
    return format == null ? null : TraceInput.requireFormat(format).id();
  }

  /**
   * Reads a file.
   *
   * @param version release by whose rules a snapshot is read
   * @throws Failure where it cannot be read
   */
  TraceInput read(String name, PyTorchVersion version) {
    return TraceInput.read(name, format, version, deviceIndex);
  }
}
