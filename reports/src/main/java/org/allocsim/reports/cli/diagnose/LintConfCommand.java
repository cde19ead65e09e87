package org.allocsim.reports.cli.diagnose;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.tuning.ConfLint;
import org.allocsim.analysis.tuning.LintFinding;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.SettingsComparison;
import org.allocsim.reports.answer.diagnosis.LintAnswer;
import org.allocsim.reports.cli.option.FractionConverter;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.TorchVersionConverter;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim lint-conf}: is a configuration string legal here, and does it do anything? */
@Command(
    name = "lint-conf",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Checks a value of PYTORCH_CUDA_ALLOC_CONF.",
      "",
      "Is it legal for a release and a platform, does all of it take effect, is it known to do",
      "harm? With --snapshot: was it in force when the snapshot was taken, and if not, why?"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing found, or warnings only",
      "1:failed: unreadable snapshot, unwritable output",
      "2:wrong usage",
      "3:an error was found: the string does not do what it says, or was not in force"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim lint-conf expandable_segments:True,max_split_size_mb:128",
      "  allocsim lint-conf expandable_segments:True --os windows",
      "  allocsim lint-conf garbage_collection_threshold:0.8 --memory-fraction 0.9",
      "  allocsim lint-conf expandable_segments:True --snapshot snapshot.pickle",
      "  allocsim lint-conf --env PYTORCH_ALLOC_CONF=expandable_segments:True --torch-version 2.9.1"
    })
public final class LintConfCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "CONF",
      arity = "0..1",
      description =
          "The string; leave it out where --env holds it, or to check the one in --snapshot.")
  private String conf;

  @Option(
      names = "--env",
      paramLabel = "NAME[=CONF]",
      description =
          "The environment variable that the string is set by (default: PYTORCH_CUDA_ALLOC_CONF).")
  private String assignment;

  @Option(
      names = "--snapshot",
      paramLabel = "FILE",
      description = "Compare the string with the settings that this snapshot records.")
  private String snapshotName;

  @Option(
      names = {"--torch-version", "--torch"},
      paramLabel = "VERSION",
      description = "Rules of this PyTorch release, 2.0 to 2.14 (default: 2.14).",
      converter = TorchVersionConverter.class)
  private PyTorchVersion version = PyTorchVersion.DEFAULT;

  @Option(
      names = "--os",
      paramLabel = "linux|windows|wsl",
      description = "Where the program is to run (default: linux).")
  private Platform platform = Platform.LINUX;

  @Option(
      names = "--memory-fraction",
      paramLabel = "F",
      description = "The program calls torch.cuda.set_per_process_memory_fraction(F).",
      converter = FractionConverter.class)
  private Double fraction;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() {
    String variable = ConfLint.CUDA_VARIABLE;
    String text = conf;
    if (assignment != null) {
      int equals = assignment.indexOf('=');
      variable = equals < 0 ? assignment : assignment.substring(0, equals);
      if (equals >= 0) {
        if (text != null) {
          throw new ParameterException(
              spec.commandLine(), "both CONF and --env hold a string; give one of them");
        }
        text = assignment.substring(equals + 1);
      }
    }
    Path file = snapshotName == null ? null : Inputs.require(snapshotName);
    Snapshot snapshot = file == null ? null : readSnapshot(file);
    if (text == null) {
      if (snapshot == null) {
        throw new ParameterException(
            spec.commandLine(),
            "the string is missing; give CONF, --env NAME=CONF or --snapshot FILE");
      }
      text = snapshot.settings().conf();
    }
    try (DocumentOutputs outputs = outputOptions.open(file)) {
      boolean limited = fraction != null && (fraction < 1 || version.isFractionOneALimit());
      List<LintFinding> findings = new ArrayList<>(ConfLint.checkVariable(variable, version));
      findings.addAll(ConfLint.check(text, version, platform, limited));
      LintAnswer answer =
          new LintAnswer(
              variable,
              text,
              version,
              platform,
              findings,
              snapshot == null
                  ? null
                  : new LintAnswer.InForce(
                      snapshotName, snapshot, compare(text, variable, snapshot, findings)));
      outputs.write(answer.document());
      return answer.isWrong() ? ExitCodes.CHECK_DID_NOT_HOLD : ExitCodes.DONE;
    }
  }

  private static Snapshot readSnapshot(Path file) {
    Snapshot snapshot =
        Traces.open(file.toString(), null)
            .snapshot()
            .orElseThrow(() ->
                new Failure(
                    file
                        + ": it holds requests and no recording, so there are no settings to"
                        + " compare; leave out --snapshot to check the string alone"));
    if (!snapshot.settings().present()) {
      throw new Failure(
          file
              + ": it records no allocator settings, as snapshots of PyTorch before 2.3 do not, so"
              + " there is nothing to compare; leave out --snapshot to check the string alone");
    }
    return snapshot;
  }

  /** The comparison, or null where the string itself is refused, as a finding says. */
  private @Nullable SettingsComparison compare(
      String text, String variable, Snapshot snapshot, List<LintFinding> findings) {
    ParsedConfig believed;
    try {
      believed = ConfigParser.parse(text, version);
    } catch (ConfigException e) {
      if (findings.stream().noneMatch(finding -> finding.kind() == LintFinding.Kind.ILLEGAL)) {
        throw new IllegalStateException("the lint let a string pass that is refused", e);
      }
      return null;
    }
    try {
      return SettingsComparison.of(
          believed,
          variable,
          snapshot,
          ConfigParser.parse(snapshot.settings().conf(), version),
          ConfigParser.parse("", version),
          version);
    } catch (ConfigException e) {
      throw new Failure(
          ("%s: PyTorch %s refuses the recorded settings \"%s\" (%s); give the release"
                  + " that recorded them with --torch-version")
              .formatted(snapshotName, version.id(), snapshot.settings().conf(), e.getMessage()),
          e);
    }
  }
}
