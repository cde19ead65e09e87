package org.allocsim.reports.cli.option;

import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartFonts;
import org.allocsim.reports.chart.FigureStyle;
import org.allocsim.reports.output.Failure;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where an answer goes whose charts may be drawn for a paper or a talk. */
public final class FigureOptions extends OutputOptions {
  @Option(
      names = "--figure",
      paramLabel = "PRESET",
      converter = FigureConverter.class,
      description = FigureConverter.DESCRIPTION)
  private FigureStyle figure;

  /** How charts are drawn; null for screens. */
  @Override
  public @Nullable FigureStyle figure() {
    return figure;
  }

  /**
   * Refuses a figure where no chart is asked for.
   *
   * @param isDrawn whether another option than {@code --report} asks for one
   * @param options those that ask for charts, as a sentence lists them
   */
  public void requireCharts(boolean isDrawn, String options) {
    if (figure != null && !isDrawn && !hasReport()) {
      throw Failure.usage("--figure needs charts to draw; add " + options);
    }
  }

  /** Whether a horizontal axis counts events. */
  public boolean isByEvent() {
    return figure != null && figure.isByEvent();
  }

  /** The format that the name of a chart's file ends in; null where there is no name. */
  public static @Nullable ChartFile format(@Nullable String name) {
    if (name == null) {
      return null;
    }
    ChartFile format =
        ChartFile.ofName(name)
            .orElseThrow(() ->
                Failure.usage(
                    "--chart %s has no chart file extension; end the name in %s"
                        .formatted(name, ChartFile.EXTENSIONS)));
    if (!ChartFonts.areAvailable()) {
      throw new Failure("--chart " + name + ": " + ChartFonts.REMEDY);
    }
    return format;
  }

  /** Refuses an axis or a range of time for charts that have neither. */
  public void requireNoTime() {
    if (figure != null && (figure.isByEvent() || figure.from() != null || figure.to() != null)) {
      throw Failure.usage(
          "--figure: axis, from and to apply to charts over time, and "
              + commandName()
              + " draws none; omit them");
    }
  }

  @Override
  public void requireNoFigure(String job) {
    if (figure != null) {
      throw Failure.usage(
          "--figure needs a single recording; give the file of one rank instead of the folder "
              + job);
    }
  }
}
