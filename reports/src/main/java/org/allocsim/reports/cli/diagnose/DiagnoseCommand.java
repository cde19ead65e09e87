package org.allocsim.reports.cli.diagnose;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.GivenOptions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.tuning.DiagnoseQuestion;
import org.allocsim.reports.question.tuning.RunFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim diagnose}: why did a run fail, and what would have saved it? */
@Command(
    name = "diagnose",
    description =
        "Explains why a run failed and what would have saved it, from a recording or a log.")
public final class DiagnoseCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", arity = "1..2")
  private List<String> names;

  @Mixin private DeviceOptions deviceOptions;

  @Option(names = "--os", paramLabel = "linux|windows|wsl")
  private Platform platform = Platform.LINUX;

  @Mixin private CategoryOption categoryOption;

  @Mixin private TraceOptions traceOptions;

  @Mixin private OutputOptions outputOptions;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    RunFiles files = RunFiles.of(names);
    if (files.traces().isEmpty()) {
      GivenOptions.requireNone(spec, names.getFirst() + " is a log");
    }
    return traceOptions
        .asking(outputOptions, deviceOptions.conditions())
        .beside(files.log() == null ? null : files.log().file())
        .ask(
            new DiagnoseQuestion(platform, categoryOption.rules(), files.said(outputOptions.err())),
            files.traces());
  }
}
