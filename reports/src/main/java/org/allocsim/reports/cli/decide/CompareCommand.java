package org.allocsim.reports.cli.decide;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.reports.cli.option.ConfListOptions;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.PolicyListOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.replay.CompareQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code allocsim compare}: one trace, every allocator. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Replays a program on many allocators and compares them.",
      "",
      "Each trace is read once; the policies run side by side. Those that serve every request come",
      "first, ordered by the peak of reserved memory. Rounding is what blocks in use hold beyond",
      "what was asked for, cached what is reserved and not in use, both when reserved memory was",
      "highest; utilisation is the peak of allocated over the peak of reserved memory. Where a",
      "request fails, the program is taken to go on without it. A policy that cannot serve a trace",
      "has a row that says what it needs.",
      "",
      "With --report, charts are drawn as .svg and .png, and for dark paper as -dark.svg and",
      "-dark.png: reserved, fragmentation, peak, driver-time, throughput, sizes, lifetimes,",
      "segments (when the first request fails, when reserved memory is highest, at the end), and",
      "utilisation where the trace has work, after a number where there are several traces."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim compare snapshot.pickle",
      "  allocsim compare snapshot.pickle --policies pytorch,cuda-async,max-live --capacity 24GiB",
      "  allocsim compare log.csv --policies 'rmm-pool(initial=1GiB),rmm-arena' --csv result.csv",
      "  allocsim compare a.pickle b.pickle --confs ';expandable_segments:True' --report compared"
    })
public final class CompareCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "TRACE",
      arity = "1..*",
      description =
          "Traces of any format; 'allocsim list formats' shows them. Or a folder with one recording"
              + " for each rank of a job.")
  private List<String> names;

  @Mixin private PolicyListOptions policyOptions = new PolicyListOptions("all");

  @Mixin private ConfListOptions confOptions;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Mixin private FigureOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    outputOptions.requireCharts(false, "--report DIR, or leave it out");
    return traceOptions
        .asking(outputOptions, deviceOptions.conditions())
        .ask(new CompareQuestion(policyOptions.choices(), confOptions.choices()), names);
  }
}
