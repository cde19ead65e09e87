package org.allocsim.reports.cli.option;

import org.allocsim.analysis.leak.IterationException;
import org.allocsim.analysis.leak.IterationFinder;
import org.allocsim.analysis.leak.Iterations;
import picocli.CommandLine.Option;

/** Where the iterations of a program begin. */
public final class IterationsOption {
  private static final String AUTO = "auto";
  private static final String MARKERS = "markers";
  private static final String PERIOD = "period";

  @Option(
      names = "--iterations",
      paramLabel = "markers|period|NAME",
      description =
          "Where iterations begin: at the most regular marker, at a request that recurs regularly,"
              + " or at the marker NAME, ignoring numbers in it (default: markers, or period"
              + " without markers).",
      defaultValue = AUTO)
  private String name;

  /**
   * The iterations of a program.
   *
   * @throws IterationException where it has none
   */
  public Iterations find(IterationFinder finder) throws IterationException {
    return switch (name) {
      case AUTO -> finder.any();
      case MARKERS -> finder.byMarkers();
      case PERIOD -> finder.byPeriod();
      default -> finder.byMarker(name);
    };
  }
}
