package org.allocsim.reports.cli.gpu;

import org.allocsim.reports.output.Failure;
import picocli.CommandLine.Option;

/** The option that bounds how long a case may take. */
final class CaseTime {
  @Option(
      names = "--max-seconds",
      paramLabel = "N",
      description = "Maximum GPU time per case (default: 600).")
  private int seconds = 600;

  int seconds() {
    if (seconds <= 0) {
      throw Failure.usage("--max-seconds " + seconds + " must be at least 1");
    }
    return seconds;
  }
}
