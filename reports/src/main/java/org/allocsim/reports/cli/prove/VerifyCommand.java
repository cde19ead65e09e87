package org.allocsim.reports.cli.prove;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.recording.VerifyQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim verify}: is the simulation event-exact on these recordings? */
@Command(name = "verify", description = "Checks that the simulation reproduces recordings exactly.")
public final class VerifyCommand implements Callable<Integer> {
  @Parameters(paramLabel = "SNAPSHOT", arity = "1..*")
  private List<String> names;

  @Mixin private DeviceOptions deviceOptions;

  @Option(names = "--stats", paramLabel = "FILE")
  private String statsName;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (statsName != null && names.size() > 1) {
      throw Failure.usage("--stats needs a single snapshot; verify the others without it");
    }
    if (statsName != null && Jobs.isFolder(names.getFirst())) {
      throw VerifyQuestion.refusedForJob("--stats");
    }
    return new Asking(outputOptions, null, deviceOptions.conditions())
        .tolerant()
        .ask(VerifyQuestion.of(statsName, outputOptions.err()), names);
  }
}
