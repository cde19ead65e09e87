package org.allocsim.reports.cli.prove;

import org.allocsim.reports.output.Failure;
import picocli.CommandLine.Option;

/** The option that bounds how long a case may take. */
final class CaseTime {
  @Option(
      names = "--max-seconds",
      paramLabel = "N",
      description = "Longest time that one case may use the GPU (default: 600).")
  private int seconds = 600;

  int seconds() {
    if (seconds <= 0) {
      throw Failure.usage("--max-seconds " + seconds + " is no time at all; give 1 or more");
    }
    return seconds;
  }
}
