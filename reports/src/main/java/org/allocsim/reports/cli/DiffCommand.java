package org.allocsim.reports.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.PeakDifference;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.answer.moment.DiffReport;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.answer.moment.TableLimits;
import org.allocsim.reports.cli.option.GroupingOptions;
import org.allocsim.reports.cli.option.ProgramOptions;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.json.JsonDocument;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.OutputFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim diff}: why one program takes more memory than another. */
@Command(
    name = "diff",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Compares two programs at their peaks.",
      "Shows how much of the difference is the program's, because it asks for more, and how much",
      "the allocator's, by rounding and slack; and which stacks, or sizes, ask for more.",
      "Everything adds up to the byte."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim diff before.pickle after.pickle",
      "  allocsim diff torch29.pickle torch210.pickle --of requested --by size"
    })
final class DiffCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "BEFORE",
      description = "The first trace, or program:ID(name=value;...).")
  private String beforeName;

  @Parameters(index = "1", paramLabel = "AFTER", description = "The second trace.")
  private String afterName;

  @Mixin private GroupingOptions grouping;

  @Mixin private ProgramOptions programOptions;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write all lines as JSON; - is standard output.")
  private String jsonName;

  @Override
  public Integer call() throws IOException {
    TableLimits limits = grouping.limits();
    PrintWriter out = spec.commandLine().getOut();
    Path file = Traces.file(beforeName);
    Traces.file(afterName);
    try (OutputFiles outputs = new OutputFiles(out)) {
      OutputFiles.Output json = outputs.openIfGiven("--json", jsonName, file);
      ReplayedProgram before = ReplayedProgram.replay(beforeName, programOptions);
      ReplayedProgram after = ReplayedProgram.replay(afterName, programOptions);
      LiveSet.By chosen = grouping.by(before, after);
      MemoryMoment first = before.at(grouping.query(MomentQuery.Kind.PEAK_RESERVED));
      MemoryMoment second = after.at(grouping.query(MomentQuery.Kind.PEAK_RESERVED));
      PeakDifference difference =
          PeakDifference.of(
              first,
              LiveSet.of(first, before.origins(), chosen, limits.frames()),
              second,
              LiveSet.of(second, after.origins(), chosen, limits.frames()));
      DiffReport report = new DiffReport(before, after, difference, limits);
      if (json != null) {
        JsonText.write(JsonDocument.DIFF.of(report.toMap()), json.stream());
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
