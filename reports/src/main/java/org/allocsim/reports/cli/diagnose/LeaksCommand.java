package org.allocsim.reports.cli.diagnose;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.IterationsOption;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.replay.LeaksQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim leaks}: does memory grow from iteration to iteration, and what does? */
@Command(
    name = "leaks",
    description = "Distinguishes leaks, fragmentation and plateaus over iterations.")
public final class LeaksCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Mixin private IterationsOption iterationsOption;

  @Option(names = "--warm-up", paramLabel = "N")
  private Integer warmUp;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Option(
      names = "--chart",
      paramLabel = "FILE",
      description = "Draw live and reserved memory per iteration as " + ChartFile.EXTENSIONS + ".")
  private String chartName;

  @Mixin private FigureOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    FigureOptions.format(chartName);
    outputOptions.requireCharts(chartName != null, "--chart FILE or --report DIR, or omit it");
    return traceOptions
        .asking(outputOptions, deviceOptions.conditions())
        .ask(question(), traceName);
  }

  /** What is asked. */
  public LeaksQuestion question() {
    return new LeaksQuestion(iterationsOption::find, warmUp, chartName, outputOptions.isByEvent());
  }
}
