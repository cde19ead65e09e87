package org.allocsim.reports.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.moment.FitTrial;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.Pins;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.answer.moment.PinsReport;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.answer.moment.TableLimits;
import org.allocsim.reports.cli.option.Choices;
import org.allocsim.reports.cli.option.ProgramOptions;
import org.allocsim.reports.cli.option.TableOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.json.JsonDocument;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim pins}: the blocks that keep segments from being released. */
@Command(
    name = "pins",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Names the blocks that keep segments from being released.",
      "Shows their age and stack, and the free memory that they pin. At a failed request it also",
      "looks for the cheapest blocks without which the request would have fitted, and asks the",
      "simulated allocator whether that is so."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim pins snapshot.pickle",
      "  allocsim pins snapshot.pickle --at end --sort free --top 5",
      "  allocsim pins snapshot.pickle --memory-limit 16GiB --conf max_split_size_mb:128"
    })
final class PinsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE)
  private String traceName;

  @Option(
      names = "--at",
      paramLabel = "oom|peak|end|N",
      description =
          "When: at the first failed request, the peak of reserved memory, the end, or after"
              + " allocation request N, from 0 (default: oom if a request fails, else peak).",
      converter = Choices.MomentConverter.class)
  private MomentQuery query;

  @Option(
      names = "--sort",
      paramLabel = "ratio|free",
      description =
          "Rank segments by the free bytes that each byte in use pins, or by free bytes (default:"
              + " ratio).",
      defaultValue = "ratio",
      converter = Choices.OrderConverter.class)
  private Pins.Order order;

  @Mixin private TableOptions tableOptions;

  @Mixin private ProgramOptions programOptions;

  @Option(
      names = "--csv",
      paramLabel = "FILE",
      description =
          "Write all segments and blocks as CSV with units in the headings; - is standard output.")
  private String csvName;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write all segments and blocks as JSON; - is standard output.")
  private String jsonName;

  @Override
  public Integer call() throws IOException {
    TableLimits limits = tableOptions.limits();
    PrintWriter out = spec.commandLine().getOut();
    Path file = Traces.file(traceName);
    try (OutputFiles outputs = new OutputFiles(out)) {
      OutputFiles.Output json = outputs.openIfGiven("--json", jsonName, file);
      OutputFiles.Output csv = outputs.openIfGiven("--csv", csvName, file);
      ReplayedProgram program = ReplayedProgram.read(traceName, programOptions);
      MemoryMoment moment = program.at(query);
      long pageBytes =
          program
              .landmarks()
              .map(landmarks -> landmarks.input().config().largeSegmentBytes())
              .orElse(AllocatorConfig.DEFAULT_LARGE_SEGMENT_BYTES);
      List<Pins.Segment> pins = Pins.of(moment.layout(), pageBytes, order);
      FitTrial trial =
          moment.failure() == null ? null : new FitTrial(program.landmarks().orElseThrow(), moment);
      PinsReport report =
          new PinsReport(
              program,
              moment,
              pins,
              trial,
              trial == null ? List.of() : trial.remedies(),
              program.steps(),
              limits);
      if (json != null) {
        JsonText.write(JsonDocument.PINS.of(report.toMap()), json.stream());
      }
      if (csv != null) {
        report.writeCsv(csv.stream());
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        report.print(out);
        out.flush();
      }
    }
    return ExitCodes.DONE;
  }
}
