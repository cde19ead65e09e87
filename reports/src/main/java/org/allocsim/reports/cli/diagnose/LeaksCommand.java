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
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Distinguishes leaks, fragmentation and plateaus over iterations.",
      "Shows what grows, and at which iteration (counted from 0) a GPU will be full.",
      "",
      "LEAK           iterations leave more behind: live memory grows at their quietest moments",
      "FRAGMENTATION  live memory stays as it is, and the allocator reserves ever more beyond it",
      "PLATEAU        memory grew after the warm-up and has stopped, or grows at the peaks only",
      "NONE           nothing grew after the warm-up",
      "",
      "The slope is the median over all pairs of iterations (Theil, Sen) with Kendall's interval.",
      "Less than 512 B an iteration is no leak. To find one takes at least 5 iterations after the",
      "warm-up, to find fragmentation 10. A GPU is full when live memory at the busiest moment of",
      "an iteration reaches its size, or with FRAGMENTATION when reserved memory does."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:PLATEAU or NONE",
      "1:failed: unreadable input, too few iterations, unwritable output",
      "2:wrong usage",
      "3:LEAK or FRAGMENTATION"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim leaks snapshot.pickle",
      "  allocsim leaks snapshot.pickle --capacity 24GiB --chart leak.svg",
      "  allocsim leaks snapshot.pickle --iterations ProfilerStep#1 --warm-up 3",
      "  allocsim leaks snapshot.pickle --iterations period --json leak.json"
    })
public final class LeaksCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Mixin private IterationsOption iterationsOption;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description = "Leave the first N iterations out (default: found from the data).")
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
    outputOptions.requireCharts(chartName != null, "--chart FILE or --report DIR, or leave it out");
    return traceOptions
        .asking(outputOptions, deviceOptions.conditions())
        .ask(question(), traceName);
  }

  /** What is asked. */
  public LeaksQuestion question() {
    return new LeaksQuestion(iterationsOption::find, warmUp, chartName, outputOptions.isByEvent());
  }
}
