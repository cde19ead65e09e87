package org.allocsim.reports.cli.diagnose;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.reports.cli.option.FractionConverter;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.TorchVersionConverter;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.tuning.LintQuestion;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim lint-conf}: is a configuration string legal here, and does it do anything? */
@Command(name = "lint-conf", description = "Checks a value of PYTORCH_CUDA_ALLOC_CONF.")
public final class LintConfCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "CONF", arity = "0..1")
  private String conf;

  @Option(names = "--env", paramLabel = "NAME[=CONF]")
  private String assignment;

  @Option(names = "--snapshot", paramLabel = "FILE")
  private String snapshotName;

  @Option(
      names = {"--torch-version", "--torch"},
      paramLabel = "VERSION",
      converter = TorchVersionConverter.class)
  private PyTorchVersion version = PyTorchVersion.DEFAULT;

  @Option(names = "--os", paramLabel = "linux|windows|wsl")
  private Platform platform = Platform.LINUX;

  @Option(names = "--memory-fraction", paramLabel = "F", converter = FractionConverter.class)
  private Double fraction;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (conf != null && assignment != null && assignment.contains("=")) {
      throw new ParameterException(
          spec.commandLine(), "both CONF and --env contain a value; omit one of them");
    }
    LintQuestion question = LintQuestion.of(conf, assignment, version, platform, fraction);
    if (question.conf() == null && snapshotName == null) {
      throw new ParameterException(
          spec.commandLine(), "no value given; give CONF, --env NAME=CONF or --snapshot FILE");
    }
    return new Asking(outputOptions, null, Conditions.RECORDED)
        .ask(question, snapshotName == null ? List.of() : List.of(snapshotName));
  }
}
