package org.allocsim.reports.cli.gpu;

import org.allocsim.reports.cli.option.TraceOptions;
import picocli.CommandLine.Option;

/** The option that names a real GPU. */
final class GpuOption {
  @Option(
      names = "--gpu",
      paramLabel = "N",
      description = "Index of the GPU, counted from 0 (default: 0).",
      converter = TraceOptions.IndexConverter.class)
  private int number;

  int number() {
    return number;
  }
}
