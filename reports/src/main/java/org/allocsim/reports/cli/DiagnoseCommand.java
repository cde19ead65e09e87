package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.allocsim.analysis.diagnosis.MessageCircumstances;
import org.allocsim.analysis.diagnosis.SettingTrial;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.oom.OomLog;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.reports.answer.diagnosis.DiagnoseAnswer;
import org.allocsim.reports.answer.diagnosis.DiagnosedProgram;
import org.allocsim.reports.answer.diagnosis.ExplainOomAnswer;
import org.allocsim.reports.answer.job.DiagnoseJob;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.input.LogInput;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim diagnose}: why did a run fail, and what would have saved it? */
@Command(
    name = "diagnose",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Says why a run failed and what would have saved it, from a recording, a log, or both.",
      "",
      "A recording shows what happened, which lines of the program hold the memory, the setting",
      "that would have saved the run with its margin and its cost, or how much less the program",
      "must need, and the smallest GPU for it. The margin is tried on 50 changed copies of the",
      "program. Of a program with over a million events fewer settings and copies are tried, so"
          + " that",
      "the answer takes seconds; 'allocsim tune' tries all. A log shows why its request failed;",
      "beside a recording, its message says what that leaves open: how much memory there was, and",
      "the limit.",
      "",
      "Of a folder with the recordings of a job's ranks it says which rank failed first and why,",
      "how even the ranks are, which one setting serves all of them, and the smallest GPU on which",
      "every rank runs."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      " 0:no request fails, or none under the setting that is recommended",
      " 1:failed: unreadable input, no message found, unwritable output",
      " 2:wrong usage",
      " 3:a request fails under every setting",
      "10-20:for a log alone, those of 'allocsim explain-oom'"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim diagnose snapshot.pickle",
      "  allocsim diagnose snapshot.pickle train.log --report diagnosis",
      "  allocsim diagnose ranks/",
      "  python train.py 2>&1 | allocsim diagnose -"
    })
final class DiagnoseCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "FILE",
      arity = "1..2",
      description =
          "A recording ('allocsim list formats'), a log with the message (- is standard input), or"
              + " one of each; or a folder with one recording for each rank of a job.")
  private List<String> names;

  @Mixin private DeviceOptions deviceOptions;

  @Option(
      names = "--os",
      paramLabel = "linux|windows|wsl",
      description = "Where the program is to run (default: linux).")
  private Platform platform = Platform.LINUX;

  @Mixin private CategoryOption categoryOption;

  @Mixin private TraceOptions traceOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (names.stream().anyMatch(Jobs::isFolder)) {
      return diagnoseJob();
    }
    List<String> logs =
        names.stream()
            .filter(each -> each.equals(LogInput.STANDARD_INPUT) || !Traces.isTrace(each))
            .toList();
    List<String> traces = names.stream().filter(each -> !logs.contains(each)).toList();
    if (logs.size() > 1 || traces.size() > 1) {
      throw Failure.usage(
          String.join(" and ", names)
              + " are two "
              + (logs.size() > 1 ? "logs" : "recordings")
              + "; give one recording, one log, or one of each");
    }
    LogInput log = logs.isEmpty() ? null : LogInput.of(logs.getFirst());
    Path[] inputs =
        Stream.concat(traces.stream().map(Traces::file), Stream.ofNullable(log).map(LogInput::file))
            .filter(Objects::nonNull)
            .toArray(Path[]::new);
    try (DocumentOutputs outputs = outputOptions.open(inputs)) {
      ExplainOomAnswer said = log == null ? null : explain(log);
      if (traces.isEmpty() && said != null) {
        outputs.write(new DiagnoseAnswer(null, said).document());
        return ExitCodes.of(said.first());
      }
      DiagnosedProgram program = diagnose(traces.getFirst(), said);
      outputs.write(new DiagnoseAnswer(program, said).document(), program::pageRuns);
      return program.diagnosis().tuning().best().result().passes()
          ? ExitCodes.DONE
          : ExitCodes.CHECK_DID_NOT_HOLD;
    }
  }

  private int diagnoseJob() throws IOException {
    if (names.size() > 1) {
      throw Failure.usage(
          String.join(" and ", names)
              + ": a job is diagnosed from its recordings; leave the other name out, or give the"
              + " recording of one rank with its log");
    }
    return JobRun.of(outputOptions, name -> diagnose(name, null))
        .showing(DiagnosedProgram::pageRuns)
        .onAllCores()
        .run(names.getFirst(), new DiagnoseJob(this::trial));
  }

  private SettingTrial trial(Rank rank, String conf) {
    Opened opened = open(rank.file().toString());
    try (ProgressMeter progress = ProgressMeter.of("diagnosing", "copies")) {
      return SettingTrial.of(
          opened.input(), conf, opened.version(), opened.circumstances(), progress::update);
    }
  }

  private ExplainOomAnswer explain(LogInput log) throws IOException {
    try {
      return ExplainOomAnswer.of(log.label(), log.read(spec.commandLine().getErr()), null);
    } catch (Failure e) {
      log.refuseForeign();
      throw e;
    }
  }

  /** A recording and the circumstances that it shows. */
  private record Opened(
      DeviceTrace input,
      PyTorchVersion version,
      ParsedConfig recorded,
      RecordedCircumstances circumstances,
      long limitBytes) {}

  private Opened open(String name) {
    TraceSource source = traceOptions.open(name);
    deviceOptions.release().follow(source);
    PyTorchVersion version = deviceOptions.torchVersion();
    ParsedConfig recorded = Settings.recorded(source, version);
    Settings.requirePossible(recorded, deviceOptions.profile());
    long limitBytes = deviceOptions.limitBytes(recorded, source);
    DeviceTrace input =
        traceOptions.read(
            source, new ReadingOptions(version, limitBytes, deviceOptions.profile().totalBytes()));
    return new Opened(
        input, version, recorded, deviceOptions.circumstances(input, recorded), limitBytes);
  }

  private DiagnosedProgram diagnose(String name, @Nullable ExplainOomAnswer log) {
    Opened opened = open(name);
    DeviceTrace input = opened.input();
    RecordedCircumstances circumstances = opened.circumstances();
    if (log != null && !log.contents().found().isEmpty()) {
      OomLog.Found message = log.contents().found().getFirst();
      circumstances =
          MessageCircumstances.of(
              input,
              circumstances,
              opened.limitBytes(),
              message.message(),
              "line " + message.line() + " of " + log.name());
    }
    try (ProgressMeter progress = ProgressMeter.of("diagnosing", "settings")) {
      return DiagnosedProgram.of(
          input,
          opened.recorded(),
          opened.version(),
          deviceOptions.release().oldest(),
          platform,
          circumstances,
          categoryOption.rules(),
          progress::update);
    }
  }
}
