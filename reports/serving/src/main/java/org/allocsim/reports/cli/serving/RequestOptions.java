package org.allocsim.reports.cli.serving;

import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.serving.ServeQuestion;
import picocli.CommandLine.Option;

/** The options that say which requests of a file come, and how fast. */
final class RequestOptions {
  @Option(
      names = "--speed",
      paramLabel = "FACTOR",
      defaultValue = "1",
      description = "Speed up the arrival of requests by this factor (default: ${DEFAULT-VALUE}).")
  private double speed;

  @Option(names = "--first", paramLabel = "N", description = "Serve only the first N requests.")
  private Integer first;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      defaultValue = "1",
      description = "Serve the request file N times in a row.")
  private int times;

  /**
   * The requests of a file.
   *
   * @throws Failure for numbers that make no sense
   */
  ServeQuestion.Requests of(String file) {
    EngineOptions.require(speed > 0 && speed < 1e9, "--speed", "a number above 0");
    EngineOptions.require(times >= 1, "--repeat", "1 or more");
    EngineOptions.require(first == null || first >= 1, "--first", "1 or more");
    return new ServeQuestion.Requests(file, first, times, speed);
  }
}
