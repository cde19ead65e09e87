package org.allocsim.reports.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.allocsim.reports.advice.LiveSet;
import org.allocsim.reports.advice.MemoryMoment;
import org.allocsim.reports.advice.MomentQuery;
import org.allocsim.reports.advice.PeakDifference;
import org.allocsim.reports.json.JsonText;
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
      "Tells how much of the difference is the program's, because it asks for more, and how much",
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

  @Parameters(index = "0", paramLabel = "BEFORE", description = "Snapshot of the first program.")
  private String beforeName;

  @Parameters(index = "1", paramLabel = "AFTER", description = "Snapshot of the second program.")
  private String afterName;

  @Option(
      names = "--by",
      paramLabel = "stack|size|phase",
      description = "What the lines stand for (default: stack if both have them, else size).",
      converter = Choices.ByConverter.class)
  private LiveSet.By by;

  @Option(
      names = "--of",
      paramLabel = "requested|allocated|reserved",
      description = "Whose peaks are compared (default: reserved).",
      defaultValue = "reserved",
      converter = Choices.PeakConverter.class)
  private MomentQuery query;

  @Mixin private TableOptions tableOptions;

  @Mixin private ProgramOptions programOptions;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write all lines as JSON; - is standard output.")
  private String jsonName;

  @Override
  public Integer call() throws IOException {
    tableOptions.check();
    PrintWriter out = spec.commandLine().getOut();
    Path file = Inputs.require(beforeName);
    Inputs.require(afterName);
    try (Outputs outputs = new Outputs(out)) {
      Outputs.Output json = outputs.openIfGiven("--json", jsonName, file);
      Program before = Program.replay(beforeName, programOptions);
      Program after = Program.replay(afterName, programOptions);
      LiveSet.By chosen = chosenBy(before, after);
      MemoryMoment first = before.at(query);
      MemoryMoment second = after.at(query);
      PeakDifference difference =
          PeakDifference.of(
              first,
              LiveSet.of(first, before.origins(), chosen, tableOptions.frames()),
              second,
              LiveSet.of(second, after.origins(), chosen, tableOptions.frames()));
      DiffReport report = new DiffReport(before, after, difference, tableOptions);
      if (json != null) {
        JsonText.write(report.toMap(), json.stream());
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        report.print(out);
        out.flush();
      }
    }
    return ExitCodes.DONE;
  }

  private LiveSet.By chosenBy(Program before, Program after) {
    if (by != null) {
      return by;
    }
    return before.origins().hasStacks() && after.origins().hasStacks()
        ? LiveSet.By.STACK
        : LiveSet.By.SIZE;
  }
}
